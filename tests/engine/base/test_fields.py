"""Parameters are fields of a class; `params`, `__init__` and its signature are made of them."""

import inspect
from dataclasses import replace

import pytest
from sklearn.base import clone

from emberscope.base.estimator import Estimator
from emberscope.base.fields import not_a_param
from emberscope.base.param import param

WIDTH = param(0.5, low=0, help="How wide.")


class Narrow(Estimator):
    """One."""

    width: float = WIDTH
    k: int | None = param(None, auto="all")
    center_: float = not_a_param()
    _seen: int = not_a_param(3)


class Wide(Narrow):
    """Two."""

    kernel: str = param("heat", choices=("heat", "binary"))
    width: float = replace(WIDTH, default=2.0)


def test_the_signature_shows_each_parameter_with_type_and_default():
    shown = "(self, *, width: float = 0.5, k: int | None = None) -> None"
    assert str(inspect.signature(Narrow.__init__)) == shown


def test_parameters_are_stored_as_given_and_nothing_else_is():
    given = [3]
    assert vars(Narrow(k=given)) == {"width": 0.5, "k": given}
    assert Narrow(k=given).k is given


def test_a_field_carries_its_name_and_its_type():
    assert [(p.name, p.type, p.default) for p in Narrow.params] == [
        ("width", "float", 0.5), ("k", "int", None),
    ]  # fmt: skip


def test_a_subclass_adds_fields_behind_and_changes_them_in_their_place():
    assert [(p.name, p.default) for p in Wide.params] == [
        ("width", 2.0), ("k", None), ("kernel", "heat"),
    ]  # fmt: skip
    assert Narrow().width == 0.5


def test_fields_of_two_bases_come_in_the_order_of_a_dataclass():
    class Looped(Estimator):
        rounds: int = param(4)

    class Both(Looped, Narrow):
        soft: bool = param(True)

    assert [p.name for p in Both.params] == ["width", "k", "rounds", "soft"]
    assert vars(Both(rounds=1)) == {"width": 0.5, "k": None, "rounds": 1, "soft": True}


def test_a_clone_has_the_same_parameters():
    assert clone(Wide(width=3.0, kernel="binary")).get_params() == {
        "width": 3.0, "k": None, "kernel": "binary",
    }  # fmt: skip


def test_what_fit_leaves_is_no_parameter():
    assert not hasattr(Narrow(), "center_")
    assert Narrow()._seen == 3


def test_an_unknown_parameter_is_refused_by_the_name_of_the_class():
    with pytest.raises(TypeError, match=r"Wide\.__init__\(\) got an unexpected .* 'height'"):
        Wide(height=1.0)


def test_parameters_are_given_by_name_only():
    with pytest.raises(TypeError, match="positional"):
        Wide(1.0)


def test_the_docstring_says_what_the_form_says():
    assert "width : float, 0 or more, default 0.5\n    Width. How wide." in Narrow.__doc__


def test_a_class_with_an_init_of_its_own_keeps_it():
    class Own(Estimator):
        def __init__(self, inner):
            self.inner = inner

    assert Own(3).inner == 3


def test_a_parameter_without_a_type_is_a_mistake_of_whoever_wrote_it():
    with pytest.raises(TypeError, match=r"Bare\.width has no type: write `width: float = param"):
        type("Bare", (Estimator,), {"width": param(1.0)})


@pytest.mark.parametrize("kind", [list, int | str, None])
def test_a_type_that_no_form_shows_is_a_mistake(kind):
    with pytest.raises(TypeError, match=r"Odd\.width has no type"):
        type("Odd", (Estimator,), {"width": param(1.0), "__annotations__": {"width": kind}})


@pytest.mark.parametrize(("kind", "auto"), [(int | None, ""), (int, "all")])
def test_none_and_what_it_means_go_together(kind, auto):
    body = {"k": param(1, auto=auto), "__annotations__": {"k": kind}}
    with pytest.raises(TypeError, match=r"Half\.k: None is allowed where `auto`"):
        type("Half", (Estimator,), body)


def test_a_list_of_parameters_beside_the_fields_is_refused():
    with pytest.raises(TypeError, match=r"Old declares `params`: .* as a field"):
        type("Old", (Estimator,), {"params": ()})
