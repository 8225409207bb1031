"""`python -m dptopk`: the command line, see `dptopk.cli`."""

import sys

from dptopk.cli import main

if __name__ == "__main__":
    sys.exit(main())
