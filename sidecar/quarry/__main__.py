"""`python -m quarry` and the command `quarry`."""

import sys

from quarry.interfaces.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
