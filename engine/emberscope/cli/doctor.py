"""`emberscope doctor`: what is installed here."""

import argparse

from emberscope.cli.arguments import add_json
from emberscope.cli.printing import print_json
from emberscope.console import print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """versions, OpenGL, caches, threads"""
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    from emberscope.doctor import examine

    found = examine()
    if a.json:
        print_json(found)
    else:
        print_table(["what", "found"], [[key, str(value)] for key, value in found.items()])
    return 0
