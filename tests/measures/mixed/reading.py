"""The studies of the oracle, as codes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measures.mixed.design import Ratings

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "measures" / "data" / "mixed"
REFERENCE: dict[str, Any] = json.loads((DATA / "reference.json").read_text())
STUDIES = [name for name in REFERENCE if name != "made_by"]


@cache
def study(name: str) -> Ratings:
    """Return a study with its columns coded in sorted order."""
    if name == "swbd_coh":
        table = pd.read_csv(ROOT / "tests" / "data" / "ratings" / "swbd_coh.csv.gz").assign(item=0)
        table = table.rename(columns={"dialogue": "conversation", "rater": "annotator"})
    else:
        table = pd.read_csv(DATA / f"{name}.csv.gz")
    codes = {c: np.unique(table[c], return_inverse=True)[1] for c in ("source", "annotator", "conversation", "item")}
    return Ratings(**codes, value=table["value"].to_numpy(float))
