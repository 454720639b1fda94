"""Which layers are on."""

import pytest

from emberscope_app.state.core.layers_on import LayersOn


@pytest.fixture
def layers(qapp):
    """Contours are on at first, a track is not."""
    found = LayersOn()
    found.begin("contours", True)
    found.begin("track", False)
    return found


def test_a_layer_begins_as_the_table_says(layers):
    assert layers.is_on("contours")
    assert not layers.is_on("track")


def test_what_a_person_switched_stays_when_another_map_begins_it(layers):
    layers.switch("contours", False)
    layers.begin("contours", True)
    assert not layers.is_on("contours")


def test_what_is_switched_before_there_is_such_a_layer_stays(layers):
    layers.switch("chips", True)
    layers.begin("chips", False)
    assert layers.is_on("chips")


def test_it_is_told_once_and_only_of_what_changed(layers):
    heard = []
    layers.changed.connect(heard.append)
    layers.switch("track", True)
    layers.switch("track", True)
    layers.switch("contours", True)
    assert heard == ["track"]
