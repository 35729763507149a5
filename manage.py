#!/usr/bin/env python
"""Parley's command line. Where no servers are named, it uses those that run here, or starts its own."""

import os
import sys

from parley import servers


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "parley.settings")
    servers.ensure()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
