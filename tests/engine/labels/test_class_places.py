"""Colors and glyphs of classes by their names."""

from emberscope.labels.class_places import free_place, own_place, placed
from emberscope.labels.model import TargetClass


def made(name, key):
    return TargetClass(id=key, name=name, role=1, slot=1)


def test_a_name_asks_for_the_same_place_in_any_case_and_never_for_one_as_blue_as_background():
    assert own_place("Person") == own_place("PERSON")
    assert {own_place(f"kind {n}") for n in range(200)} == {1, 3, 4, 5, 6}


def test_the_other_blue_place_is_taken_after_all_that_background_is_not_taken_for():
    assert free_place("Person", [1, 2, 3, 4, 5, 6]) == 7


def test_a_place_that_is_taken_leads_to_the_next_free_one():
    wanted = own_place("Person")
    assert free_place("Person", [2]) == wanted
    assert free_place("Person", [2, wanted]) not in (2, wanted)


def test_where_all_places_are_taken_the_rarest_is_shared():
    assert free_place("Person", [1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7]) == 3


def test_no_class_takes_the_place_that_another_of_the_same_import_asks_for():
    names = [f"kind {n}" for n in range(200)]
    first = names[0]
    rival = next(name for name in names[1:] if own_place(name) == own_place(first))
    after = next(
        name for name in names if own_place(name) == free_place(rival, [2, own_place(first)])
    )
    slots = [found.slot for found in placed([made(first, 1), made(rival, 2), made(after, 3)], [])]
    assert (slots[0], slots[2]) == (own_place(first), own_place(after))
    assert len(set(slots)) == 3
