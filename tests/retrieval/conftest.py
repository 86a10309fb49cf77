"""Lets the tests import `judged`, which stands beside them and is a program of its own as well."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
