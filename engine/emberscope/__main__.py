"""`python -m emberscope`: the same as `emberscope`, where the installed command is not on the path."""

import sys

from emberscope.cli import main

if __name__ == "__main__":
    sys.exit(main())
