"""`python -m quarry` and the command `quarry`."""

import gc
import sys

from quarry.interfaces.cli.importing import importing, put_off, spare_threads

spare_threads()
put_off("importlib.metadata")
put_off("urllib.request")
with importing():
    from quarry.interfaces.cli.main import main

    gc.freeze()  # modules stay; and without this, the first collection looks through all of them

if __name__ == "__main__":
    sys.exit(main())
