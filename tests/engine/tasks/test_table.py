"""Every question that can be asked of the engine: it crosses the border whole, and somebody answers
it."""

import importlib
import pkgutil
import subprocess
import sys
from dataclasses import is_dataclass
from typing import get_type_hints

import msgspec
import pytest

import emberscope.tasks
from emberscope.base.errors import QuestionError, WorkerError
from emberscope.base.monitor import Monitor, Silent
from emberscope.project.model.compare import same
from emberscope.tasks.crossing import across, encoded
from emberscope.tasks.request import AboutRun, Request, Table, answer_class
from emberscope.tasks.table import TABLE
from emberscope.tasks.trial import AddOne, Sum

from .examples import declared_fields, whole

KINDS = sorted(TABLE, key=lambda kind: kind.__name__)
ANSWERS = sorted(
    {answer_class(kind) for kind in KINDS} - {type(None)}, key=lambda kind: kind.__name__
)
FIELDS = [(kind, name) for kind in KINDS for name in declared_fields(kind)]


def requests_declared():
    """The classes of requests in the files of the room."""
    modules = [importlib.import_module(f"emberscope.tasks.{found.name}")
               for found in pkgutil.iter_modules(emberscope.tasks.__path__)]
    declared = {
        thing for module in modules for thing in vars(module).values() if isinstance(thing, type)
    }
    return {thing for thing in declared if issubclass(thing, Request)} - {Request, AboutRun}


def in_parts(value):
    """A record as a dict of its fields, and so those of its fields that are records, or lists of
    them."""
    if isinstance(value, list):
        return [in_parts(part) for part in value]
    if not is_dataclass(value) and not isinstance(value, msgspec.Struct):
        return value
    return {name: in_parts(getattr(value, name)) for name in declared_fields(type(value))}


@pytest.mark.parametrize("kind", [*KINDS, *ANSWERS], ids=lambda kind: kind.__name__)
def test_it_comes_back_as_it_was(kind):
    made = whole(kind)
    back = across(made, kind)
    assert type(back) is kind
    assert same(in_parts(back), in_parts(made))


@pytest.mark.parametrize(
    ("kind", "field"), FIELDS, ids=lambda part: part if isinstance(part, str) else part.__name__
)
def test_a_field_of_another_type_is_named(kind, field):
    wrong = msgspec.structs.replace(whole(kind), **{field: 12.5})
    with pytest.raises(QuestionError) as caught:
        encoded(wrong, kind)
    assert caught.value.where == f"{kind.__name__}.{field}"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_who_answers_takes_the_request_and_returns_its_answer(kind):
    answer = answer_class(kind)
    hints = get_type_hints(TABLE.handler(kind))
    assert hints == {"request": kind, "monitor": Monitor, "return": answer}


def test_every_request_that_is_declared_is_answered():
    assert requests_declared() == set(TABLE)


def test_two_kinds_of_request_never_have_one_name():
    assert len({kind.__name__ for kind in TABLE}) == len(list(TABLE))


def test_who_asks_loads_nothing_of_what_answers():
    code = (
        "import sys, emberscope.tasks.table\n"
        "heavy = 'scipy sklearn numba h5py PIL'.split()\n"
        "rooms = ['emberscope.' + name for name in ('pipeline', 'embedding', 'mil', 'demo')]\n"
        "print([name for name in [*heavy, *rooms] if name in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "[]"
    )


class Nobody(Request[Sum], frozen=True, kw_only=True):
    """A question that nobody answers."""


def test_a_request_that_is_not_in_the_table_is_refused():
    with pytest.raises(WorkerError, match="Nobody is no question that the engine answers"):
        TABLE.answer(Nobody(), Silent())


def test_another_request_of_a_known_name_is_refused():
    impostor = type("AddOne", (Nobody,), {"__module__": "elsewhere"})
    with pytest.raises(WorkerError, match=r"elsewhere\.AddOne is not the question of that name"):
        TABLE.answer(impostor(), Silent())


def test_an_answer_that_is_not_as_declared_is_refused():
    table = Table({AddOne: lambda request, monitor: request.value + 1})
    with pytest.raises(QuestionError, match="expected `Sum`, got `int`"):
        table.answer(AddOne(value=1), Silent())


def test_a_request_that_does_not_say_what_its_answer_is_is_a_defect():
    with pytest.raises(TypeError, match="does not say what its answer is"):
        answer_class(Request)
