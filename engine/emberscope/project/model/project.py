"""The project: plain data that changes only through operations."""

import contextlib
import copy
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any, Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags, Instances
from emberscope.bags.recipe import ROWS
from emberscope.base.errors import DataError, ParamError
from emberscope.base.misfit import misfit_words
from emberscope.base.plain_text import LONGEST_NOTE, make_showable, showable
from emberscope.labels.columns import Value, plain_columns
from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import DEFAULT_CLASSES, Id, Label, TargetClass
from emberscope.labels.side_info import SideRecord
from emberscope.project.model.made_by import MadeBy
from emberscope.project.model.marks import Marks
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.recipe import Recipe, of_rows

POINTS = "points"  # format of a source whose frames are bags, and whose rows are instances


class SourceRef(msgspec.Struct, frozen=True, kw_only=True):
    """A source the project knows. `path` is absolute; the file also stores it relative to the
    project.

    columns : what is known of the whole clip, by name (`labels.columns`). frame_columns : what is
    known of its frames, a value for each or None; a column of both says of a frame what the frame
    says.
    """

    id: Id
    path: str
    name: str
    fingerprint: str
    n_frames: Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
    rows: Annotated[int, msgspec.Meta(ge=0, lt=2**16)]
    cols: Annotated[int, msgspec.Meta(ge=0, lt=2**16)]
    format: str = ""
    options: dict[str, Any] = {}  # what the reader needs besides the path, e.g. the HDF5 data set
    columns: dict[str, Value] = {}
    frame_columns: dict[str, list[Value | None]] = {}
    # What this computer knows of it, never in a file, see `project.store.own_sources`: not to be
    # read; a folder that nothing of it may lead out of, "" for none
    withheld: bool = False
    within: str = ""

    def __post_init__(self) -> None:
        make_showable(self, "name", "format")
        if self.columns:
            msgspec.structs.force_setattr(self, "columns", plain_columns(self.columns))
        if self.frame_columns:
            made = {
                showable(name): self._of_frames(name, given)
                for name, given in self.frame_columns.items()
            }
            msgspec.structs.force_setattr(self, "frame_columns", made)

    def _of_frames(self, name: str, given: list[Value | None]) -> list[Value | None]:
        """Raises DataError where there is not one value for each frame."""
        if len(given) != self.n_frames:
            what = (
                f"column {name} has {len(given)} values for the {self.n_frames} frames of "
                f"{self.name}"
            )
            raise DataError(what, hint="Give one for each frame, None where there is none.")
        return [plain_columns({name: value}).get(name) for value in given]

    @property
    def only_judges(self) -> bool:
        """Whether labels of single instances in the bags of a point set teach nothing."""
        return self.format == POINTS and bool(self.options.get("bags_only"))


class Run(msgspec.Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """One finished computation. Runs never change.

    Arrays (N instances, K bags): `ids` (N,) int64; `source` (N,) int64; `frame` (N,) int32; `box`
    (N, 4) float32; `indptr`, `members`, `bag_labels`, `bag_ids`, `bag_classes`: the bags as in
    `bags.Bags`; `y` (N,) int8 instance labels the method was given; `Z` (N, d) float32 coordinates.
    `point_scores`: name -> (N,) float32 ("trustworthiness", "continuity", "score", "witness" ...).
    `metrics`: name -> number ("trustworthiness", "method_bag_auc", "witness_found" ...). `state`:
    the fitted method (`Embedder.to_state`), arrays and scalars. `diagnostics`: name -> array of
    what is drawn about the embedding's faithfulness: "curve_k", "q_nx", "r_nx", "lcmc", "b_nx"
    (M,); "shepard_edges_x", "shepard_edges_z" (B + 1,), "shepard_local", "shepard_global" (B, B);
    "ellipses" (N, d, d); "bag_purity" (K,); "neighbors" (N, k) int32, rows of the nearest in the
    features; "bag_score" (K,) out-of-fold scores of a classifier, above 0 = positive; "held_score"
    (N,) how target-like an instance is to fits that have not seen its bag, "bag_fold" (K,) which of
    them judged a bag; "loadings" (D, d) correlations of features with the axes of a linear method,
    whose names are `state["feature_names"]`; "score_loadings" (D,), of the same with the witness
    score; "marks" (M, 2) int64, instance and class ids of the marks it was made with; "followed"
    (F,) int64, ids of instances whose label follows from pairs; of a method that finds K concepts
    "concept_distances" (N, K) float32, squared distances a of the probabilities exp(-a),
    "concept_stars" (K, d) and "concept_ellipses" (K, d, d), where they lie on the map and where
    probability 1/2 is (see `mil.concepts.projection`), "concept_ground" (Q, d), where clusters of
    negative instances lie on it, "concept_centers", "concept_weights" and "concept_widths" (K, D),
    centers in standard deviations of the features, shares of each, and widths over these deviations
    (`mil.concepts.profile`), and "concept_halves" (N, K) int8, how each could be split (see
    `mil.concepts.splitting`). Any may be absent.
    """

    id: int
    recipe: Recipe
    created: str            # ISO 8601, UTC; labels as of this moment
    seconds: float
    versions: dict[str, str]
    ids: np.ndarray
    source: np.ndarray
    frame: np.ndarray
    box: np.ndarray
    indptr: np.ndarray
    members: np.ndarray
    bag_labels: np.ndarray
    bag_ids: np.ndarray
    bag_classes: np.ndarray
    y: np.ndarray
    Z: np.ndarray
    point_scores: dict[str, np.ndarray] = {}
    metrics: dict[str, float] = {}
    notes: list[str] = []   # advice from the run: "the graph had 3 parts, bridged" ...
    state: dict[str, Any] = {}
    diagnostics: dict[str, np.ndarray] = {}
    made_by: MadeBy = MadeBy()

    def __post_init__(self) -> None:
        make_showable(self, "point_scores", "metrics", "versions", "created")
        if self.notes:
            msgspec.structs.force_setattr(
                self, "notes", [showable(note, LONGEST_NOTE) for note in self.notes]
            )

    @property
    def instances(self) -> Instances:
        """The instance table of the run."""
        return Instances(self.ids, self.source, self.frame, self.box,
                         apart=self.recipe.bags.level == ROWS)

    @cached_property
    def bags(self) -> Bags:
        """The bags of the run; members are rows of its instance table."""
        return Bags(self.indptr, self.members, self.bag_labels, self.bag_ids, self.bag_classes)


_Changes = TypeVar("_Changes", covariant=True)


class Reversible(Protocol[_Changes]):
    """What an operation can do; the operations there are lie in `project.model.operations`, which
    knows the project."""

    def apply(self, project: "Project") -> _Changes:
        """Do it; says which ids changed."""

    def revert(self, project: "Project") -> _Changes:
        """Undo it; says which ids changed."""


class Project:
    """Sources, classes, labels, marks, side information, runs, selections, settings; `apply` and
    `revert` write them.

    Attributes
    ----------
    sources : dict of id to SourceRef. classes : dict of id to TargetClass. labels : LabelSet.
    marks : dict of instance id to class id. The label of a single instance ("this one is
        background"); it overrides what the bags say. Class id 0 takes the instance out (ignored).
    side : dict of id to record of side information (`labels.side_info`): pairs, distances,
    invariances, actions.
    runs : dict of id to Run. left_out : the same of runs of the file that no view can show, see
    `project.model.unfit_runs`. selections : dict of name to sorted unique instance ids.
    settings : dict of str to JSON-safe values. `recipe` (a builtins dict) is the recipe of the next
    run.
    networks_within : dict of path to folder, what this computer knows of networks that recipes of
    the file name, never in a file: nothing of them may lead out of the folder, see
    `project.store.own_sources`.
    next_ids : NextIds, the free ones. Operations that are applied take the ids that they use, and
    nothing else does.
    """

    def __init__(self) -> None:
        self.sources: dict[int, SourceRef] = {}
        self.classes: dict[int, TargetClass] = {c.id: c for c in DEFAULT_CLASSES}
        self.labels = LabelSet()
        self.marks = {}
        self.side: dict[int, SideRecord] = {}
        self.runs: dict[int, Run] = {}
        self.left_out: dict[int, Run] = {}
        self.selections: dict[str, NDArray[np.int64]] = {}
        self.settings: dict[str, Any] = {}
        self.networks_within: dict[str, str] = {}
        self.next_ids = NextIds(record=10, label=1, run=1)

    @property
    def marks(self) -> Marks:
        """Class id of each marked instance."""
        return self._marks

    @marks.setter
    def marks(self, marks: Mapping[int, int]) -> None:
        """Class id of each marked instance."""
        self._marks = Marks(marks)

    def frozen(self, *, labels: bool = True) -> "Project":
        """A copy that later edits do not touch, for threads. Its records are shared: they never
        change.

        labels : without, the labels stay those of this project, 0.1 us less for each: single ones
        may be looked up.
        """
        found = copy.copy(self)
        found.sources, found.classes, found.side = (
            dict(self.sources),
            dict(self.classes),
            dict(self.side),
        )
        found.labels, found.marks = self.labels.copy() if labels else self.labels, self.marks
        found.runs, found.left_out = dict(self.runs), dict(self.left_out)
        found.selections = dict(self.selections)
        found.settings = copy.deepcopy(self.settings)
        return found

    def with_labels(self, labels: Iterable[Label]) -> "Project":
        """A copy that has these labels, no marks and no side information."""
        found = self.frozen(labels=False)
        found.labels, found.marks, found.side = LabelSet(labels), {}, {}
        return found

    def with_run(self, run_id: int) -> "Project":
        """A copy that has this run and no other."""
        found = self.frozen()
        found.runs = {run_id: self.runs[run_id]}
        return found

    @property
    def next_id(self) -> int:
        """The next free id of sources, classes and side information."""
        return self.next_ids.record

    @property
    def next_label(self) -> int:
        """The next free id of labels."""
        return self.next_ids.label

    @property
    def next_run(self) -> int:
        """The next free id of runs."""
        return self.next_ids.run

    def new_ids(self, count: int = 1) -> list[int]:
        """Ids for sources, classes or side information of one operation; the same ones until it is
        applied."""
        return list(range(self.next_id, self.next_id + count))

    def new_label_ids(self, count: int = 1) -> list[int]:
        """Ids for labels of one operation; the same ones until it is applied."""
        return list(range(self.next_label, self.next_label + count))

    def use(self, ids: NextIds) -> None:
        """Never give out an id again that lies before these."""
        self.next_ids = self.next_ids.beyond(ids)

    @property
    def recipe(self) -> Recipe:
        """The recipe of the next run; the default one where none is kept, or none that can be
        read. Of a project of point sets it reads their rows, whatever else is kept."""
        kept = self.kept_recipe or Recipe()
        return of_rows(kept, self.width) if self.of_points else kept

    @property
    def width(self) -> int:
        """How many features its point sets have; 0 where there are none."""
        return next((ref.cols for ref in self.sources.values() if ref.format == POINTS), 0)

    @property
    def kept_recipe(self) -> Recipe | None:
        """The recipe in the settings; None where there is none, or none that can be read, see
        `recipe_note`."""
        if "recipe" not in self.settings:
            return None
        with contextlib.suppress(msgspec.ValidationError, ParamError):
            return msgspec.convert(self.settings["recipe"], Recipe)
        return None

    @property
    def recipe_note(self) -> str:
        """A sentence where the recipe in the settings, which another program may have written,
        cannot be read."""
        try:
            msgspec.convert(self.settings.get("recipe", {}), Recipe)
        except (msgspec.ValidationError, ParamError) as error:
            why = misfit_words(error, Recipe)
            return (
                f"The recipe of the next run cannot be read: {why}. One that fits the labels is in "
                "its place."
            )
        return ""

    @property
    def of_points(self) -> bool:
        """Whether its sources are point sets: it has rows of features, and no frames."""
        return any(ref.format == POINTS for ref in self.sources.values())

    @property
    def frame_sizes(self) -> dict[int, tuple[int, int, int]]:
        """Source id to (n_frames, rows, cols)."""
        return {ref.id: (ref.n_frames, ref.rows, ref.cols) for ref in self.sources.values()}

    def role(self, class_id: int) -> int:
        """-1 or +1; 0 for an unknown class."""
        found = self.classes.get(class_id)
        return found.role if found else 0

    def apply(self, operation: "Reversible[_Changes]") -> _Changes:
        """Do an operation; returns its Changes."""
        return operation.apply(self)

    def revert(self, operation: "Reversible[_Changes]") -> _Changes:
        """Undo an operation that was applied; returns its Changes."""
        return operation.revert(self)
