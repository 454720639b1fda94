"""What bags and instances are called."""

import pytest

from emberscope.base.ids import bag_id, bag_name, instance_name


@pytest.mark.parametrize(("label", "ordinal", "name"), [(1, 0, "1"), (14, 3, "14.3")])
def test_a_bag_has_the_number_of_its_label_and_the_later_ones_of_a_label_an_ordinal(
    label, ordinal, name
):
    assert bag_name(bag_id(label, ordinal)) == name


@pytest.mark.parametrize(("id", "name"), [(7_093_243_276, "243276"), (5_000_042, "000042")])
def test_an_instance_is_called_by_the_digits_its_id_ends_in(id, name):
    assert instance_name(id) == name
