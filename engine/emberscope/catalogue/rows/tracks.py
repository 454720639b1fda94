"""Methods that read what happens along a track."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="are", title="ARE, action respecting embedding", family="side information", kind="embedding",
        needs="actions", target="emberscope.embedding.unfolding.are:ARE",
        summary="Unfolds tracks so that the same action is the same motion everywhere: one rotation and shift of the "
        "map. Tells which actions undo each other, and which frame comes next.",
        when="For a track of overlapping frames whose actions repeat, as orbits and pans by equal steps do. Not for "
        "hand-held video.",
        cost=Cost(((1.5, 0.0, 0.0), (4e-3, 1.0, 0.0), (1e-10, 3.0, 0.0), (4e-11, 2.0, 1.0)),
                  ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0))),
        references=("Bowling, Ghodsi and Wilkinson 2005", "Ghodsi 2005", "Burer and Monteiro 2005"),
        keeps="both", year=2005,
        max_n=5000,
    ),
)
