"""The recipe of a run: everything that determines its result, as data."""

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from emberscope.bags.recipe import ROWS, BagRecipe
from emberscope.bags.split_recipe import SplitRecipe, split_of
from emberscope.base.errors import ParamError, ProjectError
from emberscope.base.files import is_there, open_to_read
from emberscope.base.misfit import misfit_words
from emberscope.base.plain_text import make_showable, plain
from emberscope.base.text import mapped
from emberscope.features.recipe import FeatureRecipe

_LARGEST = 1 << 16  # bytes
_DOTS = 500         # in a line

Distances = Literal["euclidean", "tangent-correction", "reconstruction", "registration"]
Reads = Literal["features", "map"]
FEATURES: Reads = "features"
MAP: Reads = "map"


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Labels of the project -> bags -> features -> reduction -> metric, or distances of chips ->
    method.

    reduce : int. Features are reduced to this many principal components first where they have more
        (0 = keep all); chips that are compared with each other stay as they are.
    metric : str. Id of a metric that changes the distances first, "" for none. metric_params : its
    hyper-parameters.
    distances : str. What methods that take distances (`catalogue.Method.measured`) measure
        instances by: "euclidean" of the features as the metric leaves them; the others compare
        chips by their pixels and forgive the changes that are marked as not mattering
        (`metric.dissimilarities`), so that features are pixels and there is no metric.
    bag_pairs : whether pairs that follow from bag labels take part beside those that were marked
    (`bags.pairs`).
    ignore_side : leave side information out, the metric and distances of chips with it: for an
    honest comparison.
    method : str. A method id of the catalogue. params : its hyper-parameters; missing ones take
    their defaults.
    classifier : str. Id of a classifier that scores bags and instances out of fold beside the
    embedding, "" for none.
    classifier_params : its hyper-parameters.
    classifier_reads : str. "features", those that the method reads, or "map", the coordinates that
        the method gives: it is then fitted anew without what is held out.
    classifier_choose : whether those that have values to try, and are not given, are chosen inside
    the training folds.
    map_choose : the same of `params`, for a classifier that reads the map.
    split : SplitRecipe. Which bags are held out where an embedding or a classifier is judged.
    seed : int. Handed to every stage that draws random numbers.
    """

    bags: BagRecipe = BagRecipe()
    features: FeatureRecipe = FeatureRecipe()
    reduce: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] = 50
    metric: str = ""
    metric_params: dict[str, Any] = {}
    distances: Distances = "euclidean"
    bag_pairs: bool = True
    ignore_side: bool = False
    method: str = "mi-umap"
    params: dict[str, Any] = {}
    classifier: str = ""
    classifier_params: dict[str, Any] = {}
    classifier_reads: Reads = "features"
    classifier_choose: bool = False
    map_choose: bool = False
    split: SplitRecipe = SplitRecipe()
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] = 0

    def __post_init__(self) -> None:
        make_showable(self, "method", "metric", "classifier")


def of_rows(recipe: Recipe, width: int) -> Recipe:
    """The recipe for point sets of so many features: their rows as they are. One that reads them
    already stays; features that are reduced stay reduced where somebody chose so."""
    if recipe.bags.level == ROWS and recipe.features.width == width:
        return recipe
    return msgspec.structs.replace(
        recipe, bags=BagRecipe(level=ROWS), features=FeatureRecipe(kind="values", width=width),
        reduce=0, distances="euclidean",
    )


def check_reads(recipe: Recipe, width: int) -> None:
    """Raise ParamError where a recipe reads frames of a project of point sets, of `width` features,
    or rows of one that has frames, of which width is 0."""
    rows = recipe.bags.level == ROWS
    if rows != (recipe.features.kind == "values"):
        raise ParamError(f"instances are {recipe.bags.level}, and features {recipe.features.kind}",
                         hint='Rows of point sets have features of the kind "values".')
    if rows and not width:
        raise ParamError("the recipe reads rows of point sets, and this project has frames",
                         hint="Choose patches or chips, and features of them.")
    if width and not rows:
        raise ParamError(f"the recipe reads {recipe.features.kind} features of frames, and this "
                         "project has points",
                         hint="Leave out level, patch and kind of features.")
    if width and recipe.features.width != width:
        raise ParamError(f"the recipe reads {recipe.features.width} features, and there are "
                         f"{width}", hint="Leave width out.")


def sample_recipes() -> dict[str, Traversable]:
    """The recipes that come along, by name."""
    folder = resources.files("emberscope_resources") / "recipes"
    found = {
        entry.name.removesuffix(".toml"): entry
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }
    return dict(sorted(found.items()))


def read_recipe(path: str | Path, usual: Recipe | None = None) -> Recipe:
    """A recipe from a TOML file, or a sample recipe where no file has that name.

    usual : what suits the project; fields that the file leaves out come from it (see `completed`).
        Without it they take the defaults of `Recipe`. Raises ProjectError naming the field that is
        wrong.
    """
    file: Path | Traversable = Path(path)
    if not is_there(path):
        samples = sample_recipes()
        if str(path) not in samples:
            hint = f"Recipes that come along: {', '.join(samples)}."
            raise ProjectError("there is no such recipe", where=str(path), hint=hint)
        file = samples[str(path)]
    try:
        given = _content(file)
    except (OSError, ValueError) as error:
        raise _unreadable(error, str(path)) from error
    return recipe_of(given, usual, where=str(path))


def recipe_of(given: bytes, usual: Recipe | None = None, *, where: str) -> Recipe:
    """A recipe from TOML, as `read_recipe` has it. where : it stands, for an error. Raises
    ProjectError."""
    try:
        _check_size(given)
        return of_fields(msgspec.toml.decode(given), usual)
    except (msgspec.MsgspecError, ParamError, ValueError, RecursionError) as error:
        raise _unreadable(error, where) from error


def of_fields(fields: dict[str, Any], usual: Recipe | None = None) -> Recipe:
    """A recipe from what a TOML file holds; what it leaves out comes from `usual`. Raises
    msgspec.ValidationError and ParamError for a field that is wrong."""
    if isinstance(fields.get("split"), str):
        fields = {**fields, "split": msgspec.to_builtins(split_of(fields["split"]))}
    recipe = msgspec.convert(fields, type=Recipe)
    return recipe if usual is None else completed(fields, usual)


def _unreadable(error: Exception, where: str) -> ProjectError:
    hint = "`emberscope run --help` shows a recipe."
    return ProjectError(f"cannot read the recipe: {_why(error)}", where=where, hint=hint)


def _content(file: Path | Traversable) -> bytes:
    """The bytes of a recipe, not many more than one has."""
    if not isinstance(file, Path):
        return file.read_bytes()
    with open_to_read(file) as opened:
        return opened.read(_LARGEST + 1)


def _check_size(given: bytes) -> None:
    """Raises ValueError where no recipe is like that: parts of a key cost by their square."""
    if len(given) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST >> 10} KiB, a recipe has a few lines")
    if any(line.count(b".") > _DOTS for line in given.splitlines()):
        raise ValueError(f"a line has more than {_DOTS} dots, a key has one or two parts")


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "its tables lie too deep in each other"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return misfit_words(error, Recipe)


def completed(given: dict[str, Any], usual: Recipe) -> Recipe:
    """The recipe with the fields of `given`, as a TOML file holds them; what it leaves out comes
    from `usual`.

    Fields that only fit together are taken together: a patch without a stride has steps of half its
    side and no further sizes; features of another kind take that kind's defaults, and are reduced
    by the default; hyper-parameters belong to the method they were chosen for, and so do distances
    of chips. Raises msgspec.ValidationError for a field that is wrong.
    """
    base = msgspec.to_builtins(usual)
    bags, features = given.get("bags", {}), given.get("features", {})
    if "patch" in bags:
        bags = {"stride": max(int(bags["patch"]) // 2, 1), "also": (), **bags}
    if features.get("kind", usual.features.kind) != usual.features.kind:
        base["features"], base["reduce"], base["distances"] = (
            {},
            Recipe().reduce,
            Recipe().distances,
        )
    if given.get("method", usual.method) != usual.method:
        base["params"], base["distances"] = {}, Recipe().distances
    if given.get("metric", usual.metric) != usual.metric:
        base["metric_params"] = {}
    parts = {"bags": {**base["bags"], **bags}, "features": {**base["features"], **features}}
    return msgspec.convert({**base, **given, **parts}, type=Recipe)


def to_toml(recipe: Recipe) -> str:
    """The recipe as `read_recipe` reads it."""
    fields = msgspec.to_builtins(recipe)
    plain = {key: value for key, value in fields.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in fields.items() if isinstance(value, dict)}
    if recipe.bags.level == ROWS:  # no patches are cut, and features are those of the file
        tables["bags"] = {"level": ROWS}
        tables["features"] = {key: tables["features"][key] for key in ("kind", "width")}
    lines = [f"{key} = {_toml_value(value)}" for key, value in plain.items()]
    for name, table in tables.items():
        given = {key: value for key, value in table.items() if value is not None}
        lines += [
            "",
            f"[{name}]",
            *(f"{key} = {_toml_value(value)}" for key, value in given.items()),
        ]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    # Text, numbers and truth values are written alike in JSON and TOML; TOML has no halves of
    # characters.
    return msgspec.json.encode(mapped(value, plain)).decode()
