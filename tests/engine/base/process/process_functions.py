"""What test_starting.py asks of a process of its own."""

import os
import sys
import time


def imported_from():
    return sys.path


def variable():
    return os.environ.get("EMBERSCOPE_ONLY_THERE")


def dies():
    os._exit(3)


def fails():
    raise ValueError("this is not said on the terminal")


def sleeps():
    time.sleep(600)
