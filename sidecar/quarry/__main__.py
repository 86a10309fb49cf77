"""`python -m quarry` and the command `quarry`."""

import gc
import sys

from quarry.interfaces.cli.startup import lazy_import, limit_blas_threads, skip_numpy_docstrings, without_gc

limit_blas_threads()
skip_numpy_docstrings()
lazy_import("importlib.metadata")
lazy_import("urllib.request")
with without_gc():
    from quarry.interfaces.cli.main import main

    gc.freeze()  # modules stay; and without this, the first collection looks through all of them

if __name__ == "__main__":
    sys.exit(main())
