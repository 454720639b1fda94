"""A run, asked for: everything that determines its result, as data."""

from pathlib import Path
from typing import Any

import msgspec

from emberscope.bags.recipe import BagRecipe
from emberscope.base.errors import ProjectError
from emberscope.features.recipe import FeatureRecipe


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Labels of the project -> bags -> features -> reduction -> method.

    reduce : int. Features are reduced to this many principal components first where they have more (0 = keep all).
    method : str. A method id of the catalogue. params : its hyper-parameters; missing ones take their defaults.
    seed : int. Handed to every stage that draws random numbers.
    """

    bags: BagRecipe = BagRecipe()
    features: FeatureRecipe = FeatureRecipe()
    reduce: int = 50
    method: str = "s-le"
    params: dict[str, Any] = {}
    seed: int = 0


def read_recipe(path: str | Path) -> Recipe:
    """A recipe from a TOML file. Raises ProjectError naming the field that is wrong."""
    try:
        return msgspec.toml.decode(Path(path).read_bytes(), type=Recipe)
    except (OSError, msgspec.DecodeError) as error:
        hint = "See `emberscope run --help`."
        raise ProjectError(f"cannot read the recipe: {error}", where=str(path), hint=hint) from error


def to_toml(recipe: Recipe) -> str:
    """The recipe as `read_recipe` reads it."""
    fields = msgspec.to_builtins(recipe)
    plain = {key: value for key, value in fields.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in fields.items() if isinstance(value, dict)}
    lines = [f"{key} = {_toml_value(value)}" for key, value in plain.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml_value(value)}" for key, value in table.items() if value is not None)]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    # Text, numbers and truth values are written alike in JSON and TOML.
    return msgspec.json.encode(value).decode()
