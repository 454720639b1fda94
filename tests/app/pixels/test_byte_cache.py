"""A cache bounded by bytes."""

from emberscope_app.pixels.byte_cache import ByteCache


def cache_of(budget, **entries):
    cache = ByteCache(budget, len)
    for key, value in entries.items():
        cache.put(key, value)
    return cache


def test_what_was_used_longest_ago_goes_when_the_bytes_are_spent():
    cache = cache_of(8, a="1234", b="5678")
    cache.get("a")
    cache.put("c", "90")
    assert [cache.get(key) for key in "abc"] == ["1234", None, "90"]


def test_a_value_put_again_counts_once():
    cache = cache_of(8, a="1234")
    cache.put("a", "12")
    assert (cache.bytes, len(cache)) == (2, 1)


def test_one_value_larger_than_the_budget_is_kept_alone():
    cache = cache_of(3, a="1", b="12345")
    assert [cache.get(key) for key in "ab"] == [None, "12345"]


def test_what_is_dropped_gives_its_bytes_back():
    cache = cache_of(8, a="123", b="45")
    cache.drop_where(lambda key, _: key == "a")
    assert (cache.bytes, cache.get("a"), cache.get("b")) == (2, None, "45")
