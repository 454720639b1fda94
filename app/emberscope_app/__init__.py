"""The desktop application: Qt at the edge, no numerics of its own."""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and sys.path:
    del sys.path[0]  # Python put the current folder there to look for what -m names, whosever it is

from emberscope_app import guard, plain

guard.install()  # before any class of the application is made
plain.install()
