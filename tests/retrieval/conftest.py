"""Lets the tests import `collected` and `measure`, which stand beside them and serve programs as well."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
