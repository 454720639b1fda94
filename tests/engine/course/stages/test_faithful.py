"""How faithful an embedding is."""

import numpy as np

from emberscope.course.stages.faithful import faithful


def test_too_few_instances_for_faithfulness_leave_a_note():
    found = faithful(np.eye(3), np.eye(3))
    assert found.points == found.metrics == {}
    assert found.notes[0].startswith("No faithfulness: 3 different instances")
