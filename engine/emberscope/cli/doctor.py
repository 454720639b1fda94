"""`emberscope doctor`: what is installed here, and whether it works."""

import argparse
from dataclasses import asdict

from emberscope.cli.arguments import add_json
from emberscope.cli.printing import print_json
from emberscope.console import complain, print_table

_MARKS = {"ok": "ok", "warn": "look", "failed": "FAILED"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """versions, OpenGL, caches, threads; a self-test of journal, cache and worker, which fails
    where one does"""
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Examine the installation and this computer; returns the exit code."""
    from emberscope.doctor import examine
    from emberscope.self_test import self_test

    found = examine()
    checks = list(self_test())
    failed = [check.name for check in checks if check.state == "failed"]
    if a.json:
        print_json(found | {"self_test": [asdict(check) for check in checks]})
    else:
        print_table(["what", "found"], [[key, str(value)] for key, value in found.items()])
        print_table(
            ["self-test", "", "found"],
            [[check.name, _MARKS[check.state], check.words] for check in checks],
        )
    if failed:
        complain(f"the self-test failed: {', '.join(failed)}.")
    return 1 if failed else 0
