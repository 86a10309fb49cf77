"""
Where is the code of the published design and of the peers that Quarry is compared with?

Neither ships: both are modules in `tests/performance/` of a checkout. An installed wheel measures itself alone.
"""

import importlib
import sys
from pathlib import Path
from types import ModuleType

_PACKAGE = Path(__file__).parent.parent


def find_comparison(package: Path = _PACKAGE) -> Path | None:
    """The folder of the modules `published`, `baseline` and `peers`; None where *package* lies in no checkout."""
    folder = package.parent.parent / "tests" / "performance"
    return folder if (folder / "published.py").is_file() else None


def load(folder: Path, name: str) -> ModuleType:
    """The module *name* of *folder*, which the other modules there are then imported from as well."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module(name)
