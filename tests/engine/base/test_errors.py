"""Errors say what, where and what to do; however long a token or a path is, a person reads at most
300 characters."""

import errno
import importlib
import pickle
import pkgutil

import pytest

import emberscope
from emberscope.base.errors import (
    LONGEST,
    DataError,
    EmberscopeError,
    FormatError,
    WorkerError,
    defect_in_words,
    in_words,
    shortened,
)

LONG = "x" * 70_000


def every_error():
    """All typed errors of the engine."""
    for module in pkgutil.walk_packages(emberscope.__path__, "emberscope."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    kinds = [EmberscopeError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return sorted(set(kinds), key=lambda kind: kind.__qualname__)


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__qualname__)
@pytest.mark.parametrize(
    ("what", "where", "hint"),
    [
        (f"there is no method {LONG}", "", "Known: pca, lda."),
        (
            f"the header says {'word ' * 20_000}",
            f"/data/{LONG}/clip.npy, byte 12",
            "Copy the file again.",
        ),
        ("it cannot be read", LONG, LONG),
    ],
    ids=["long word", "long path", "all long"],
)
def test_no_message_of_a_typed_error_is_longer_than_300_characters(kind, what, where, hint):
    error = EmberscopeError.__new__(kind)
    EmberscopeError.__init__(error, what, where=where, hint=hint)
    assert len(str(error)) <= LONGEST
    assert len(in_words(error)) <= LONGEST
    assert "\n" not in in_words(error)


def test_the_name_of_the_file_and_the_next_step_are_never_left_out():
    error = FormatError(
        f"/{'folder/' * 60}clip.npy", 12, f"the header says {LONG}", "Copy the file again."
    )
    assert "clip.npy, byte 12: the header says x" in str(error)
    assert str(error).endswith(". Copy the file again.")


def test_a_short_message_is_shown_as_it_is():
    assert str(DataError("3 rows", where="X", hint="Give more.")) == "X: 3 rows. Give more."


@pytest.mark.parametrize(
    "error",
    [DataError(LONG, hint="Less."), FormatError("clip.npy", 12, "it ends"), WorkerError("it died")],
)
def test_an_error_is_the_same_after_the_way_through_a_pipe(error):
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))


def test_what_the_system_says_of_a_long_path_is_short_too():
    assert len(in_words(OSError(36, "File name too long", LONG))) <= LONGEST


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "Free some space, or write to another disk."),
     (errno.EROFS, "Choose a folder that you may write to."),
     (errno.EACCES, "Choose another place, or ask for the rights to this one.")],
)  # fmt: skip
def test_what_the_system_refuses_says_what_to_do(number, hint):
    assert in_words(OSError(number, "It is so", "/data/o.npz")) == f"/data/o.npz: It is so. {hint}"


def test_a_defect_says_its_kind_and_its_first_line():
    assert defect_in_words(KeyError("a")) == "KeyError: 'a'"
    assert defect_in_words(ValueError("first\nsecond")) == "ValueError: first"
    assert defect_in_words(ZeroDivisionError()) == "ZeroDivisionError"
    assert len(defect_in_words(ValueError(LONG))) <= 200


@pytest.mark.parametrize("most", [20, 21, 300])
def test_what_is_too_long_keeps_its_start_and_its_end(most):
    words = shortened(f"start {LONG} end", most)
    assert len(words) <= most
    assert words.startswith("start")
    assert words.endswith("end")
