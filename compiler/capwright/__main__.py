"""`python -m capwright`: the command line, for whoever has the package and not its command on the path."""

import sys

from capwright.cli import run

sys.exit(run())
