"""What the rounds that alter journals take for lost, and for altered so that nobody can see it."""

import random

import pytest

from emberscope.labels import Spot
from emberscope.project import PutLabels
from emberscope.project.store.journal import Entry, Header, frame
from emberscope.project.store.lock import this_process

from . import harm

FRAMES = [
    frame(Header(owner=this_process())),
    *(frame(Entry(what="do", at=1.0, number=n,
                  op=PutLabels(after=[Spot(id=n, source=1, frame=0, x=1.0, y=1.0)])))
      for n in range(4)),
]  # fmt: skip
WHOLE = b"".join(FRAMES)


def test_the_records_of_a_journal_are_found_by_their_numbers():
    assert {number: record for number, (record, _) in harm.records(WHOLE).items()} == dict(
        enumerate(FRAMES[1:])
    )


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (WHOLE, True),
        (b"".join(FRAMES[:3]), True),
        (WHOLE + FRAMES[2], True),
        (WHOLE[:-1], False),
        (WHOLE + b"x", False),
        (WHOLE + bytes(8), False),
        (WHOLE[1:], False),
        (b"", False),
    ],
)
def test_rows_of_whole_records_look_unaltered(data, found):
    assert harm.is_rows_of(data, WHOLE) is found


@pytest.mark.parametrize("how", harm.HARM, ids=lambda how: how.__name__)
def test_every_kind_of_harm_alters_a_journal(how):
    assert sum(how(WHOLE, random.Random(k)) != WHOLE for k in range(20)) >= 19
