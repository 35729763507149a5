"""Measurements: what Parley does beside a floor or a peer, in one run on one machine. `./dev bench`"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as parley.settings has it, and before anything imports numpy
