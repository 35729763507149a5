"""The reporting standards that a study's datasheet can follow."""

from reporting.datasheet.heds2 import HEDS2
from reporting.datasheet.heds3 import HEDS3
from reporting.datasheet.twenty import TWENTY

DEFAULT = HEDS3
STANDARDS = {standard.key: standard for standard in (HEDS3, HEDS2, TWENTY)}
