"""Values of the parameters of a method: those a run starts with, and those a recipe has to name. No
Qt."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from emberscope import catalogue
from emberscope.base.param import Param, defaults

DEEP = {"n_components": 3}


def usual_values(method: str, params: Sequence[Param]) -> dict[str, Any]:
    """Name to value a run starts with: the defaults, but three dimensions where the 3-D map can use
    them at no cost.

    What is laid out is clearest in the plane, and a method that allows three at most pays dearly
    for the third.
    """
    usual = defaults(params)
    most = next((param.high for param in params if param.name == "n_components"), None)
    if (
        usual.get("n_components") == 2
        and not catalogue.method(method).laid_out
        and (most is None or most > 3)
    ):
        usual.update(DEEP)
    return usual


def metric_params(params: Sequence[Param]) -> tuple[Param, ...]:
    """The parameters of a method where it stands as a metric before another.

    It keeps all its directions there, where it can, and its seed is that of the recipe.
    """
    return tuple(
        replace(param, default=None) if param.name == "n_components" and param.auto else param
        for param in params
        if param.name != "random_state"
    )


def changed_values(params: Sequence[Param], values: Mapping[str, Any]) -> dict[str, Any]:
    """Name to value of the parameters that apply and differ from their own default: what a recipe
    names.

    values : may lack some, which have their defaults then, and may have names of no parameter,
    which are left out.
    """
    full = {**defaults(params), **values}
    return {param.name: full[param.name] for param in params
            if (param.when is None or full.get(param.when[0], param.when[1]) == param.when[1])
            and full[param.name] != param.default}
