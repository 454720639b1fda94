"""The sentences that runs write are of the kinds that the project knows."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import emberscope
from emberscope.bags.coverage import Coverage
from emberscope.bags.make import _conflicts_note
from emberscope.course.classification import chance_note, chosen_words
from emberscope.course.scores import BY_SIZE
from emberscope.course.stages.advice import alike_notes, gap_notes
from emberscope.course.stages.classified import NEAR
from emberscope.course.stages.separation import NO_PARTS, TOO_LONG
from emberscope.course.stages.spread import NO_SPREAD
from emberscope.findings.notes import _KINDS, ACTIONS, weighed
from emberscope.mil.rules.agreement import ABOUT_GROUND, AGREE_LITTLE
from emberscope.mil.rules.border import UNLIKE
from emberscope.neighbors.graph import knn
from emberscope.neighbors.intrinsic_dimension import intrinsic_dimension
from emberscope.neighbors.spectral import localized_axes

from ..trees import tree_of

ONE_AXIS = np.eye(100)[:, :1]
CLOUD = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        (ABOUT_GROUND, "rules-about-ground"),
        (AGREE_LITTLE.format(mean=".2"), "rules-agree-little"),
        (UNLIKE, "ground-unlike"),
        (BY_SIZE.format(0.95), "size-tells"),
        (NO_PARTS, "not-held-out"),
        (TOO_LONG.format(5, 40), "too-long"),
        (NEAR, "no-verdict"),
        (f"{NO_SPREAD}it failed.", "no-spread"),
        (Coverage(9, 2, 0).notes[0], "targets-missed"),
        (Coverage(9, 0, 2).notes[0], "targets-missed"),
        (_conflicts_note(1), "conflicts"),
        (_conflicts_note(3), "conflicts"),
        (alike_notes(np.zeros((9, 2)))[0], "all-alike"),
        (gap_notes([9.0, 0.1], 2)[0], "spectrum"),
        (chance_note({"auc": 0.5, "auc_interval": (0.3, 0.7)})[0], "may-be-chance"),
        (chosen_words("MILES", {"penalty": {"1": 5}}), "chosen"),
        (localized_axes(ONE_AXIS, "")[0], "axis-of-few"),
        (intrinsic_dimension(CLOUD, knn(CLOUD, 8)).advice, "dimensions"),
    ],
)
def test_a_sentence_is_known_for_what_it_is(sentence, kind):
    (note,) = weighed([sentence], {})
    assert note.id == kind


def test_every_action_that_a_note_asks_for_has_a_title():
    assert {action for kind in _KINDS for action in kind.actions} | {"run.settings"} == set(ACTIONS)


def written(node):
    """The words of a string in code, 5 in place of what is filled in; "" of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "5" for part in node.values
        )
    return ""


def sentences_of_methods():
    """What methods, metrics and rules say of a fit."""
    root = Path(emberscope.__file__).parent
    for room in ("embedding", "metric", "mil", "neighbors"):
        for path in sorted((root / room).rglob("*.py")):
            for node in ast.walk(tree_of(path.read_text(encoding="utf-8"))):
                called = node.func if isinstance(node, ast.Call) else None
                if not isinstance(called, ast.Attribute) or called.attr != "append":
                    continue
                if ast.unparse(called.value).endswith(("notes_", "notes")) and written(
                    node.args[0]
                ):
                    yield written(node.args[0])


def test_what_a_method_advises_has_a_button():
    advice = re.compile(
        r"[:;,.] (raise|lower|allow|ask for|try|choose|take|label|give) ", re.IGNORECASE
    )
    advised = [words for words in sentences_of_methods() if advice.search(words)]
    assert len(advised) > 3
    assert [words for words in advised if not weighed([words], {})[0].actions] == []
