"""Which methods fit the labels there are, what the others lack, and the few that are shown
first."""

from dataclasses import dataclass

from emberscope import catalogue
from emberscope.catalogue import ACTIONS, DISTANCES, PAIRS, SECOND_CLASS, Method
from emberscope.catalogue.usual import usual_method
from emberscope.project.model.recipe import Recipe

# Of a project without runs.
STARTERS = (
    "pca",
    "umap",
    "mi-le",
    "s-le",
    "tsne",
    "isomap",
    "laplacian-eigenmaps",
    "mi-umap",
    "mida",
)
SHORT = 5  # the parameters of the chosen one are seen beneath them
_READS = {
    "none": "reads no labels",
    "instance": "reads labels",
    "bag": "reads bags",
    "positive": "reads bags",
    "classes": "reads classes of bags",
    "pairs": "reads pairs",
    "distances": "reads distances",
    "actions": "reads actions",
}
WITH_METRIC = "A metric changes features, distances of chips compare pixels: choose one of them."


@dataclass(frozen=True, slots=True)
class Choice:
    """A method and whether it can run. `missing`: what it lacks, in one line; "" where it fits."""

    method: Method
    missing: str = ""
    suggested: bool = False

    @property
    def title(self) -> str:
        return self.method.short

    @property
    def about(self) -> str:
        """The second line: the long name, else what kind of method it is."""
        if self.missing:
            return self.missing
        _, _, rest = self.method.title.partition(", ")
        kind = "Linear" if self.method.linear else self.method.family
        words = rest or f"{kind}, {_READS[self.method.needs]}"
        return words[:1].upper() + words[1:]


def choices(labeled: set[str], *, level: str = "instance", chosen: str = "") -> list[Choice]:
    """The methods that fit first, in the order of the catalogue; one of them suggested.

    chosen : the method that held-out bags chose; else, and where it lacks something, the usual one
    of such labels is.
    """
    found = [
        Choice(row, missing_words(catalogue.lacks(row, labeled))) for row in catalogue.EMBEDDERS
    ]
    fits = any(c.method.id == chosen and not c.missing for c in found)
    wanted = chosen if fits else usual_method(labeled, level=level)
    found = [Choice(c.method, c.missing, c.method.id == wanted) for c in found]
    return sorted(found, key=lambda c: (bool(c.missing), not c.suggested))


def short_list(rows: list[Choice], method_id: str, used: list[str]) -> list[Choice]:
    """The methods the panel shows: the suggested one, the chosen one, those used lately, then the
    usual ones.

    used : ids, latest first. In the order of `rows`, so that nothing jumps when another one is
    chosen.
    """
    known = {c.method.id: c for c in rows}
    suggested = [c.method.id for c in rows if c.suggested]
    usual = [id for id in STARTERS if id in known and not known[id].missing]
    wanted = dict.fromkeys([*suggested, method_id, *used, *usual, *STARTERS])
    kept = [id for id in wanted if id in known][:SHORT]
    return [c for c in rows if c.method.id in kept]


def missing_words(lacking: tuple[str, ...]) -> str:
    """"Needs a background label"; "" where nothing is lacking."""
    if not lacking:
        return ""
    if SECOND_CLASS in lacking:
        return "Needs labels of two classes of targets"
    if PAIRS in lacking:
        return "Needs pairs marked alike or different"
    if DISTANCES in lacking:
        return "Needs known distances of pairs"
    if ACTIONS in lacking:
        return "Needs actions along a track"
    return (
        "Needs labels of target and background"
        if len(lacking) > 1
        else f"Needs a {lacking[0]} label"
    )


def classifier_lacks(classifier: str, labeled: set[str]) -> str:
    """Why a bag classifier cannot run with the labels there are, as a sentence; "" where it can, or
    none is chosen."""
    missing = (
        missing_words(catalogue.lacks(catalogue.method(classifier), labeled)) if classifier else ""
    )
    return f"The bag classifier {missing[0].lower()}{missing[1:]}." if missing else ""


def reads_side(method: str) -> bool:
    """Whether a method reads side information."""
    return bool(catalogue.side_read(catalogue.method(method)))


def distances_lack(recipe: Recipe) -> str:
    """Why a recipe cannot take its distances of chips, as a sentence; "" where it can, or takes
    those of features."""
    if recipe.distances == "euclidean" or recipe.ignore_side:
        return ""
    if refused := takes_no_distances(recipe.method):
        return refused
    if recipe.metric:
        return WITH_METRIC
    if recipe.features.is_chip:
        return ""
    of_one = ", of one band" if recipe.features.kind == "pixels" else ""
    return f"Distances of chips need pixels as features{of_one}."


def takes_no_distances(method: str) -> str:
    """Why a method takes no distances of chips, as a sentence; "" where it takes them."""
    row = catalogue.method(method)
    if row.compares_chips:
        return f"{row.short} has a setting of its own for distances."
    return "" if row.measured else f"{row.short} takes no distances of chips."


def side_lacks(recipe: Recipe, labeled: set[str]) -> str:
    """Why a recipe cannot run with the side information there is, as a sentence; "" where it
    can."""
    if recipe.ignore_side:
        row = catalogue.method(recipe.method)
        return (
            f"{row.short} reads side information, which is ignored."
            if catalogue.side_needed(row)
            else ""
        )
    missing = (
        missing_words(catalogue.lacks(catalogue.method(recipe.metric), labeled))
        if recipe.metric
        else ""
    )
    return f"The metric {missing[0].lower()}{missing[1:]}." if missing else ""
