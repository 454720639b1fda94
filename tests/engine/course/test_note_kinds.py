"""The sentences that runs write are of the kinds that the project knows."""

import numpy as np
import pytest

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

ONE_AXIS = np.eye(100)[:, :1]
CLOUD = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        (ABOUT_GROUND, "rules-about-ground"), (AGREE_LITTLE.format(mean=".2"), "rules-agree-little"),
        (UNLIKE, "ground-unlike"), (BY_SIZE.format(0.95), "size-tells"), (NO_PARTS, "not-held-out"),
        (TOO_LONG.format(5, 40), "too-long"), (NEAR, "no-verdict"), (f"{NO_SPREAD}it failed.", "no-spread"),
        (Coverage(9, 2, 0).notes[0], "targets-missed"), (Coverage(9, 0, 2).notes[0], "targets-missed"),
        (_conflicts_note(1), "conflicts"), (_conflicts_note(3), "conflicts"),
        (alike_notes(np.zeros((9, 2)))[0], "all-alike"), (gap_notes([9.0, 0.1], 2)[0], "spectrum"),
        (chance_note({"auc": 0.5, "auc_interval": (0.3, 0.7)})[0], "may-be-chance"),
        (chosen_words("MILES", {"penalty": {"1": 5}}), "chosen"), (localized_axes(ONE_AXIS, "")[0], "axis-of-few"),
        (intrinsic_dimension(CLOUD, knn(CLOUD, 8)).advice, "dimensions"),
    ],
)
def test_a_sentence_is_known_for_what_it_is(sentence, kind):
    (note,) = weighed([sentence], {})
    assert note.id == kind


def test_every_action_that_a_note_asks_for_has_a_title():
    assert {kind.action for kind in _KINDS} - {""} == set(ACTIONS)
