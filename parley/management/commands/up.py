"""Run Parley: database, broker, web server, workers and beat, under one supervisor."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from parley import servers, supervisor


def port_number(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: use a number from 1 to 65535")
    return int(text)


class Command(BaseCommand):
    help = "Run Parley on this machine until Ctrl-C: database, broker, web server, workers and beat."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--port", type=port_number, help="the web server's port; without it 8000, or the next free one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # until the supervisor listens itself
        held = servers.current()
        if held is None:
            raise CommandError("Start it on the command line: ./dev run, or python manage.py up.")
        try:
            self._serve(held, options["port"])
        except supervisor.StartFailed as error:
            raise CommandError(str(error)) from None

    def _serve(self, held: servers.Servers, port: int | None) -> None:
        listener = supervisor.listen(port)
        taken = listener.getsockname()[1]
        address = f"http://127.0.0.1:{taken}"
        if taken != (port or supervisor.DEFAULT_PORT):
            self._say(f"Port {supervisor.DEFAULT_PORT} is taken by another program; using {taken}.")
        self._prepare(address)
        logs = settings.DATA_DIR / "log"
        fds = () if held.lock is None else (held.lock,)
        watch = supervisor.Supervisor(supervisor.application(listener, logs, fds), held.children, self._say)
        watch.start()
        try:
            watch.wait_ready(taken)
            if not watch.stop_asked:
                watch.start_rest()
                held.record(settings.DATA_DIR / "servers.json", address)
                self._announce(address)
            watch.run()
        finally:
            self._say("Stopping ...")
            watch.stop()
            held.stop()
            self._say("Stopped. The data stays in " + str(settings.DATA_DIR))

    def _prepare(self, address: str) -> None:
        """Tables and the first study, in this process: a second one would import everything again."""
        call_command("migrate", interactive=False, verbosity=0)
        call_command("bootstrap", base_url=address, stdout=self.stdout)
        self.stdout.flush()
        connections.close_all()

    def _announce(self, address: str) -> None:
        seconds = time.monotonic() - servers.BEGAN_AT
        self._say(f"\nParley is ready at {address} (in {seconds:.1f} s)")
        self._say(f"Data and logs: {settings.DATA_DIR}   Stop: Ctrl-C")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
