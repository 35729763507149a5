"""Run the measurements and print each row beside its floor or peer and its goal."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.rows import Row, table, write_json
from bench.servers import scratch, stage

# Those that need no running servers come first: nothing else should be awake while they are timed.
ALONE = {"agreement": "bench.statistics", "bootstrap": "bench.statistics", "start": "bench.start"}
STAGED = {
    "import": "bench.imports",
    "save": "bench.saves",
    "claim": "bench.claims",
    "board": "bench.boards",
    "page": "bench.pages",
}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    names = ", ".join([*ALONE, *STAGED])
    top.add_argument("--only", metavar="NAME,...", default="", help=f"some of: {names}")
    top.add_argument("--quick", action="store_true", help="fewer repetitions and a smaller study")
    top.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    return top
