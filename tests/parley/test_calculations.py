"""Calculations share the cores with other processes, so each uses one thread unless the operator says otherwise."""

import os
import subprocess
import sys

from django.conf import settings

CODE = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "parley.settings"
import django
django.setup()
import reporting.report.build
from threadpoolctl import threadpool_info
found = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
print(os.environ["OPENBLAS_NUM_THREADS"], found)
"""


def threads(**variables: str) -> str:
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    return subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=settings.BASE_DIR,
        env=others | variables,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def test_a_calculation_uses_one_thread() -> None:
    assert threads() == "1 {1}"


def test_the_operator_can_set_another_number() -> None:
    assert threads(OPENBLAS_NUM_THREADS="2").startswith("2 ")
