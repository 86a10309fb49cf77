"""Lets the tests import the programs beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parent.parent / "performance"))  # for `benchmark`
