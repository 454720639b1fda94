"""The open readers: few, one thread at a time, closed when their source is removed or replaced."""

import msgspec
import pytest

from emberscope.base.errors import Cancelled
from emberscope.project import SourceRef
from emberscope_app.state.reading.readers import Facts, Readers


class Clip:
    """Stands in for a reader."""

    fps, units = 25.0, "counts"

    def __init__(self, ref, closed):
        self.ref, self._closed = ref, closed

    def close(self):
        self._closed.append(self.ref.id)


@pytest.fixture
def closed(monkeypatch):
    """Ids of closed sources, in order."""
    closed = []
    monkeypatch.setattr(
        "emberscope.project.exchange.sources.open_ref", lambda ref: Clip(ref, closed)
    )
    return closed


def refs(*keys):
    return {
        key: SourceRef(
            id=key, path=f"/{key}", name=f"{key}", fingerprint="", n_frames=3, rows=4, cols=5
        )
        for key in keys
    }


def following(sources, **options):
    readers = Readers(**options)
    readers.follow(sources)
    return readers


def use(readers, ref, **options):
    with readers.use(ref, **options) as source:
        return source


def test_a_source_is_opened_once(closed):
    sources = refs(1)
    readers = following(sources)
    assert use(readers, sources[1]) is use(readers, sources[1])


def test_the_frames_on_show_have_a_reader_of_their_own(closed):
    sources = refs(1)
    readers = following(sources)
    assert use(readers, sources[1]) is not use(readers, sources[1], on_show=True)
    readers.close()
    assert closed == [1, 1]


def test_the_reader_of_a_removed_source_is_closed_and_not_opened_again(closed):
    sources = refs(1, 2)
    readers = following(sources)
    for ref in sources.values():
        use(readers, ref)
    readers.follow({2: sources[2]})
    assert (closed, readers.open_now) == ([1], [2])
    with pytest.raises(Cancelled):
        use(readers, sources[1])


def test_the_reader_of_a_replaced_source_is_another_one(closed):
    sources = refs(1)
    readers = following(sources)
    before = use(readers, sources[1])
    new = msgspec.structs.replace(sources[1], path="/elsewhere")
    readers.follow({1: new})
    assert closed == [1]
    assert use(readers, new) is not before


def test_a_reader_in_use_is_closed_after_its_use(closed):
    sources = refs(1)
    readers = following(sources)
    with readers.use(sources[1]):
        readers.close()
        assert closed == []
    assert closed == [1]


def test_beyond_the_bound_the_reader_used_longest_ago_is_closed(closed):
    sources = refs(1, 2, 3)
    readers = following(sources, most=2)
    for key in (1, 2, 1, 3):
        use(readers, sources[key])
    assert (closed, readers.open_now) == ([2], [1, 3])


def test_rate_and_units_are_known_after_the_reader_is_closed(closed, monkeypatch):
    sources = refs(1, 2)
    readers = following(sources, most=1)
    assert readers.facts(sources[1]) == Facts(25.0, "counts")
    use(readers, sources[2])
    monkeypatch.setattr("emberscope.project.exchange.sources.open_ref", None)
    assert readers.facts(sources[1]) == Facts(25.0, "counts")


def test_a_source_that_cannot_be_opened_has_no_rate(monkeypatch):
    def fail(ref):
        raise ZeroDivisionError

    monkeypatch.setattr("emberscope.project.exchange.sources.open_ref", fail)
    sources = refs(1)
    assert following(sources).facts(sources[1]) == Facts()


def test_a_reader_that_cannot_be_closed_does_not_stop_the_others(closed, monkeypatch):
    sources = refs(1, 2)
    readers = following(sources)
    for ref in sources.values():
        use(readers, ref)

    def fail(clip):
        closed.append(clip.ref.id)
        raise OSError("busy")

    monkeypatch.setattr(Clip, "close", fail)
    readers.close()
    assert closed == [1, 2]
