"""Metric learners: maps in which pairs that are alike lie near."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="equivalence-metric", title="Equivalence metric", family="side information", kind="embedding",
        needs="pairs", target="emberscope.metric.equivalence:EquivalenceMetric",
        summary="Changes distances so that pairs of chips marked alike come near and pairs marked different part; what "
        "is not marked stays unknown. Fast enough to follow each new mark, and it says whether held-out pairs agree.",
        when="When you know of single chips that they show the same or not, without a name for it. 20 pairs of each "
        "kind show; 5 hardly do.",
        cost=Cost(((4e-11, 1.0, 2.0), (2e-8, 1.0, 1.0), (3e-9, 0.0, 3.0)), ((700.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
        references=("Ghodsi 2005",),
        keeps="both", year=2005, convex=True,
        linear=True, out_of_sample="exact",
    ),
)
