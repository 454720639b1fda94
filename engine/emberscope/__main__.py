"""`python -m emberscope`: the same as `emberscope`, where the installed command is not on the
path."""

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and os.path.isdir(sys.path[0]):  # noqa: PTH112 - not loaded yet
    del sys.path[0]  # Python put the current folder there, whosever it is

from emberscope.cli import main

if __name__ == "__main__":
    sys.exit(main())
