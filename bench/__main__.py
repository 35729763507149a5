"""Run the measurements and print each row beside its floor or peer and its goal."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import platform
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.rows import Row, table, write_json
from bench.servers import scratch, stage

# Those that need no running servers come first: nothing else should be awake while they are timed.
ALONE = {
    "agreement": "bench.statistics:agreement",
    "bootstrap": "bench.statistics:bootstrap",
    "plan": "bench.statistics:plan",
    "compare": "bench.comparisons:run",
    "coverage": "bench.coverage:run",
    "unequal-rates": "bench.unequal_rates:run",
    "rank-coverage": "bench.rank_coverage:run",
    "agreement-coverage": "bench.population_coverage:run",
    "power": "bench.power:run",
    "start": "bench.starts:run",
}
STAGED = {
    "save": "bench.saves:run",
    "judgement": "bench.judgements:run",
    "claim": "bench.claims:run",
    "page": "bench.pages:run",
    "import": "bench.imports:run",
    "board": "bench.boards:run",
    "report": "bench.reports:run",
    "annotators": "bench.annotators:run",
    "sweeps": "bench.sweeps:run",
    "result": "bench.qualifications:run",
    "acceptance": "bench.acceptance:run",
}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    top.add_argument("--only", metavar="NAME,...", type=names, default=[*ALONE, *STAGED], help="default: all")
    top.add_argument("--quick", action="store_true", help="fewer repetitions and smaller studies")
    top.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    return top


def names(text: str) -> list[str]:
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in wanted if name not in ALONE | STAGED]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join([*ALONE, *STAGED])}")
    return wanted


class Run:
    """The rows so far. One measurement that fails does not take the others with it."""

    def __init__(self, is_quick: bool) -> None:
        self.is_quick = is_quick
        self.rows: list[Row] = []
        self.failed: list[str] = []

    def measure(self, name: str, place: Path) -> None:
        began = time.monotonic()
        say(f"{name} ...", end=" ")
        try:
            self.rows += self._found(name, place)
        except Exception:  # whatever it is, it is shown, counted and ends in the exit code
            self.failed.append(name)
            traceback.print_exc()
        say(f"{time.monotonic() - began:.0f} s")

    def _found(self, name: str, place: Path) -> Iterator[Row]:
        module, _, function = (ALONE | STAGED)[name].partition(":")
        yield from getattr(importlib.import_module(module), function)(place, self.is_quick)


def say(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


def machine() -> str:
    load = os.getloadavg()[0]
    busy = f"; load average {load:.1f} before the start, so times are worth little" if load > 1 else ""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}{busy}"


def summary(run: Run) -> str:
    with_goal = [row for row in run.rows if row.is_met is not None]
    met = f"{sum(row.is_met is True for row in with_goal)} of {len(with_goal)} goals met"
    wrong = [row.work for row in run.rows if row.is_wrong]
    met += f"; must never be: {', '.join(wrong)}" if wrong else ""
    return met + (f"; could not be measured: {', '.join(run.failed)}" if run.failed else "")


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is stopped and cleared away
    run, where = Run(options.quick), machine()
    for places, open_place in ((ALONE, scratch), (STAGED, stage)):
        wanted = [name for name in options.only if name in places]
        with open_place() if wanted else contextlib.nullcontext(Path()) as place:
            for name in wanted:
                run.measure(name, place)
    print(f"\n{where}\n\n{table(run.rows)}\n\n{summary(run)}")
    if options.json:
        write_json(options.json, run.rows)
    return 1 if run.failed or any(row.is_wrong for row in run.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
