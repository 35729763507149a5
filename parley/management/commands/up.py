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


class Command(BaseCommand):
    help = "Run Parley on this machine until Ctrl-C: database, broker, web server, workers and beat."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        supervisor.add_port(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # until the supervisor handles signals
        held, web = servers.current(), servers.begun()
        if held is None or web is None:
            raise CommandError("Start it on the command line: ./dev run, or python manage.py up.")
        try:
            self._serve(held, web, options["port"])
        except supervisor.StartFailed as error:
            raise CommandError(str(error)) from None

    def _serve(self, held: servers.Servers, web: supervisor.Web, port: int | None) -> None:
        address = f"http://127.0.0.1:{web.port}"
        if web.port != (port or supervisor.DEFAULT_PORT):
            self._say(f"Port {supervisor.DEFAULT_PORT} is taken by another program; using {web.port}.")
        children = [web.child, *supervisor.workers(settings.DATA_DIR / "log", held.fds)]
        watch = supervisor.Supervisor(children, held.children, self._say)
        try:
            # The tables and the first study, in this process: a second one would import everything again.
            call_command("migrate", interactive=False, verbosity=0)
            call_command("bootstrap", base_url=address, stdout=self.stdout)
            self.stdout.flush()
            connections.close_all()
            watch.listen()
            web.let_serve()
            watch.wait_ready(web.port)
            if not watch.stop_asked:
                watch.start_rest()
                held.record(settings.DATA_DIR / "servers.json", address)
                seconds = time.monotonic() - servers.BEGAN_AT
                self._say(f"\nParley is ready at {address} (in {seconds:.1f} s)")
                self._say(f"Data and logs: {settings.DATA_DIR}   Stop: Ctrl-C")
            watch.run()
        finally:
            self._say("Stopping ...")
            watch.stop()
            held.stop()
            self._say("Stopped. The data stays in " + str(settings.DATA_DIR))

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
