"""`python -m emberscope.cli`: the same as `emberscope`."""

import sys

from emberscope.cli import main

sys.exit(main())
