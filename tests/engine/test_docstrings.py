"""What is public says what it is, which shapes it takes, and which errors it raises."""

import ast
import importlib
import inspect
import pkgutil
import re
import textwrap
from dataclasses import dataclass

import numpy as np

import emberscope
from emberscope.base.errors import DataError

# These letters mean the same everywhere: instances (N, D), coordinates (N, d), labels (N,), new
# instances (M, D).
LETTERS = {"X", "Z", "y", "Q"}
SHAPE = re.compile(r"\([\w+*/ .-]+,[^)]*\)|\bshapes?\b")
ARRAY = re.compile("NDArray|ndarray|_array_like")
ERRORS = {
    "DataError",
    "FormatError",
    "MissingLabels",
    "NoOutOfSample",
    "ParamError",
    "ProjectError",
    "TooLarge",
}


def everything():
    """Public functions and classes of the engine by where they stand."""
    modules = [info.name for info in pkgutil.walk_packages(emberscope.__path__, "emberscope.")]
    return [
        (f"{name}.{thing.__name__}", thing)
        for name in modules if not any(part.startswith("_") for part in name.split("."))
        for thing in public(importlib.import_module(name))
    ]  # fmt: skip


def every_function():
    """Those that are functions."""
    return [(where, thing) for where, thing in everything() if not inspect.isclass(thing)]


def public(module):
    """Public functions and classes that a module defines; of a package, what its `__all__`
    offers."""
    name, offered = module.__name__, getattr(module, "__all__", ())
    return [
        thing for key, thing in vars(module).items()
        if (inspect.isclass(thing)
            or inspect.isfunction(inspect.unwrap(thing) if callable(thing) else thing))
        and (key in offered
             or (not key.startswith("_") and getattr(thing, "__module__", "") == name))
    ]  # fmt: skip


def text_of(thing):
    """Its own docstring: not inherited, not the signature that a dataclass writes."""
    text = (vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__) or ""
    return "" if text.startswith(f"{thing.__name__}(") else text


def every_method():
    """Public methods and properties of public classes: (where, class, name, function)."""
    for where, cls in everything():
        for key, thing in vars(cls).items() if inspect.isclass(cls) else ():
            function = next(
                (f for at in ("__func__", "fget", "func") if (f := getattr(thing, at, None))), thing
            )
            if inspect.isfunction(function) and not key.startswith("_"):
                yield f"{where}.{key}", cls, key, function


def own_or_inherited(cls, name):
    """The docstring of a method: what it does is said once, where the first of several classes
    defines it."""
    found = (vars(base)[name] for base in cls.__mro__ if name in vars(base))
    return next((text for thing in found if (text := getattr(thing, "__doc__", None))), "")


def text_of_method(cls, function):
    """Its docstring and those of its class and the classes before that: parameters may be explained
    there, once."""
    return "\n".join([function.__doc__ or "", *(text_of(base) for base in cls.__mro__[:-1])])


def unshaped(function, text=None):
    """Array parameters of a function without a shape in its docstring, or in the text given."""
    annotations = inspect.unwrap(function).__annotations__.items()
    arrays = {name for name, kind in annotations if name != "return" and ARRAY.search(str(kind))}
    return sorted(arrays - LETTERS) if not SHAPE.search(text or text_of(function)) else []


def unnamed_errors(thing, text=None):
    """Typed errors that a function raises in its own lines and that its docstring, or the text
    given, does not name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(thing))))
    calls = [
        node.exc
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
    ]
    raised = {ast.unparse(call.func) for call in calls}
    return sorted(name for name in raised & ERRORS if name not in (text or text_of(thing)))


def test_what_is_public_says_what_it_is():
    assert [where for where, thing in everything() if not text_of(thing).strip()] == []


def test_public_methods_say_what_they_do_here_or_in_a_base():
    assert [where for where, cls, key, _ in every_method() if not own_or_inherited(cls, key)] == []


def test_functions_of_arrays_say_their_shapes():
    assert {where: found for where, thing in every_function() if (found := unshaped(thing))} == {}


def test_functions_name_the_errors_they_raise():
    assert {
        where: found for where, thing in every_function() if (found := unnamed_errors(thing))
    } == {}


def test_methods_of_arrays_say_their_shapes_here_or_in_their_class():
    found = {
        where: unshaped(method, text_of_method(cls, method))
        for where, cls, _, method in every_method()
    }
    assert {where: arrays for where, arrays in found.items() if arrays} == {}


def test_methods_name_the_errors_they_raise_here_or_in_their_class():
    found = {
        where: unnamed_errors(method, text_of_method(cls, method))
        for where, cls, _, method in every_method()
    }
    assert {where: errors for where, errors in found.items() if errors} == {}


def test_what_is_public_is_seen_in_whichever_room_it_stands():
    assert ("emberscope.base.errors.DataError", DataError) in everything()
    assert "emberscope.labels.label_set.LabelSet.on_frame" in [
        where for where, *_ in every_method()
    ]


def test_a_function_that_says_nothing_is_seen():
    def halves(values: np.ndarray) -> None:
        raise DataError("odd", hint="Give an even number.")

    assert (unshaped(halves), unnamed_errors(halves)) == (["values"], ["DataError"])
    halves.__doc__ = "The two halves. `values` : (N,). Raises DataError for odd N."
    assert (unshaped(halves), unnamed_errors(halves)) == ([], [])


def test_the_signature_that_a_dataclass_writes_is_no_docstring():
    assert text_of(dataclass(type("Pair", (), {}))) == ""
