"""The version, read from the plugin's manifest so that it stands in one place."""

import json
from pathlib import Path

_HERE = Path(__file__).parent
# In the repository the manifest is one folder up; in a source archive it lies beside this file.
_MANIFEST = next(p for p in (_HERE.parent / "manifest.json", _HERE / "manifest.json") if p.exists())

__version__: str = json.loads(_MANIFEST.read_text(encoding="utf-8"))["version"]
