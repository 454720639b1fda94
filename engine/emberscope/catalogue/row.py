"""One row of the table: everything the catalogue says of a method."""

from dataclasses import dataclass

from emberscope.catalogue.cost import Cost, Members


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the catalogue.

    id : the binding name. title, summary : for a person. family : heading of the list.
    kind : "embedding" (reads X, perhaps instance labels), "reduction" (weakly supervised, reads
    bags) or "classifier" (scores bags and instances, draws no embedding: a `BagClassifier`).
    needs : a key of `needs.NEEDS`; a method that needs none may still use labels (see
    `reads_labels`).
    takes : side information that it reads where there is any, beside what it needs: keys of
    `needs.SIDE`.
    target : "module:Class". when : when to take it, for a person.
    keeps : what the embedding keeps: "local" (neighbors), "global" (large distances), "both" or
    "classes"; "" for a classifier. space : what is classified, "instance", "bag" or "embedded"
    (bags as vectors), where bags get scores: by every classifier, and by reductions that are
    `BagClassifier` too; else "".
    year : of the first reference. convex : one optimum, no restarts, no luck.
    out_of_sample : "exact" (the method's own map), "reconstruction" (from the nearest training
    instances) or "none".
    compares_chips : a parameter and its values with which the method compares chips by their
    pixels, so that it reads which changes do not matter; empty where it never does.
    measured : what distances decide that are given in place of those between features
    (`Recipe.distances`): "lengths", how far instances or neighbors are apart; "neighbors", who is
    near, while the rest comes from features; "embedding", as "lengths", while rules that look for
    targets in bags read the features; "" where the method takes none.
    laid_out : drawn by neighbors that attract and others that repel, whatever its family: clearest
    in the plane.
    members : of a method that fits another one several times: its cost is that of the other one,
    times their number, beside its own.
    max_n : rows beyond which the method refuses or is impractical on two cores; None = no limit of
    its own.
    """

    id: str
    title: str
    family: str
    kind: str
    needs: str
    target: str
    summary: str
    when: str
    cost: Cost
    references: tuple[str, ...]
    keeps: str
    year: int
    convex: bool = False
    linear: bool = False
    out_of_sample: str = "reconstruction"
    inverse: bool = False
    max_n: int | None = None
    space: str = ""
    takes: tuple[str, ...] = ()
    compares_chips: tuple[str, ...] = ()
    measured: str = ""
    laid_out: bool = False
    members: Members | None = None

    @property
    def short(self) -> str:
        """"S-LE" of "S-LE, supervised Laplacian eigenmaps"."""
        return self.title.partition(",")[0]
