"""Where the frozen program begins: `emberscope`, and the worker processes that it starts."""

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()  # a worker never comes back from here

    from emberscope.cli import main

    sys.exit(main())
