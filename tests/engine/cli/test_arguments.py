"""Arguments that several commands share."""

import argparse
from typing import get_args

import pytest

from emberscope.cli.arguments import add_conversion
from emberscope.mil.conversion import Kind, Variant


@pytest.mark.parametrize(
    ("option", "known"),
    [("--variant", (*get_args(Variant), "concepts")), ("--projection", get_args(Kind))],
)
def test_the_command_line_offers_the_conversions_there_are(option, known):
    parser = argparse.ArgumentParser()
    add_conversion(parser)
    (offered,) = [action.choices for action in parser._actions if option in action.option_strings]
    assert set(offered) == set(known)
