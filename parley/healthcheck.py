"""Ask this container's web server for /healthz and exit with 0 if it answers 200. Used by docker-compose.yml."""

import http.client
import os
import sys


def main() -> int:
    bind = os.environ.get("PARLEY_BIND", "127.0.0.1:8000")
    host = os.environ.get("PARLEY_ALLOWED_HOSTS", "localhost").split(",")[0].strip().lstrip(".") or "localhost"
    link = http.client.HTTPConnection("127.0.0.1", int(bind.rpartition(":")[2]), timeout=4)
    try:
        # The site must accept this host name: Django refuses requests for any other.
        link.request("GET", "/healthz", headers={"Host": host if host != "*" else "localhost"})
        answer = link.getresponse()
        sys.stdout.write(f"{answer.status} {answer.read(500).decode(errors='replace')}\n")
        return 0 if answer.status == 200 else 1
    except (OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
