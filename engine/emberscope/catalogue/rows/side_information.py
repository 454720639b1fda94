"""Methods led by what an analyst knows beside labels: pairs, distances, changes that do not matter,
actions."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="equivalence-metric",
        title="Equivalence metric",
        family="side information",
        kind="embedding",
        needs="pairs",
        target="emberscope.metric.equivalence:EquivalenceMetric",
        summary="Changes distances so that pairs of chips marked alike come near and pairs marked "
                "different part; what "
        "is not marked stays unknown. Fast enough to follow each new mark, and it says whether "
        "held-out pairs agree.",
        when="When you know of single chips that they show the same or not, without a name for it. "
             "20 pairs of each "
        "kind show; 5 hardly do.",
        cost=Cost(
            ((4e-11, 1.0, 2.0), (2e-8, 1.0, 1.0), (3e-9, 0.0, 3.0)),
            ((700.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Ghodsi 2005",),
        keeps="both",
        year=2005,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="multi-attribute-metric",
        title="Multi-attribute metric",
        family="side information",
        kind="embedding",
        needs="pairs",
        target="emberscope.metric.multi_attribute:MultiAttributeMetric",
        summary="One direction for each attribute by which pairs of chips are compared, such as "
                "type and heat, so that "
        "no attribute drowns the others; with two of them the map has a direction for each.",
        when="When pairs are marked by more than one attribute and all shall be seen at once.",
        cost=Cost(
            ((4e-11, 1.0, 2.0), (2e-8, 1.0, 1.0), (3e-9, 0.0, 3.0)),
            ((700.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Ghodsi 2005",),
        keeps="both",
        year=2005,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="kernel-equivalence-metric",
        title="Kernel equivalence metric",
        family="side information",
        kind="embedding",
        needs="pairs",
        target="emberscope.metric.kernel_equivalence:KernelEquivalenceMetric",
        summary="The equivalence metric in the directions of a Gaussian kernel: pairs marked alike "
                "come near and pairs "
        "marked different part also where no straight direction would do it.",
        when="When the equivalence metric finds that held-out pairs do not agree though you are "
             "sure of them.",
        cost=Cost(
            ((1e-9, 3.0, 0.0), (4e-11, 2.0, 1.0)),
            ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
            beyond=(
                1000,
                Cost(((1.2, 0.0, 0.0), (3e-5, 1.0, 0.0)), ((5e7, 0.0, 0.0), (1000.0, 1.0, 0.0))),
            ),
        ),
        references=("Ghodsi 2005", "Williams and Seeger 2001"),
        keeps="both",
        year=2005,
        out_of_sample="exact",
    ),
    Method(
        id="partial-distance-metric",
        title="Partial-distance metric",
        family="side information",
        kind="embedding",
        needs="distances",
        target="emberscope.metric.partial_distance:PartialDistanceMetric",
        summary="Changes distances so that those of some pairs match known values, such as meters "
                "or degrees; the map "
        "has their unit, and the worst misses are listed.",
        when="When you know how far apart single pairs are: 30 of them or more.",
        cost=Cost(
            ((4e-11, 1.0, 2.0), (2e-8, 1.0, 1.0), (3e-9, 0.0, 3.0), (1.5, 0.0, 0.0)),
            ((700.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Ghodsi 2005", "Beck and Teboulle 2009"),
        keeps="both",
        year=2005,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="hybrid",
        title="Hybrid embedding",
        family="side information",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.side.hybrid:Hybrid",
        summary="Keeps far distances by one measure and neighbors by another, in one map. The "
                "measure may compare "
        "chips and forgive changes that do not matter: a shift, a turn, a gain. One number leads "
        "from clusters to sequences.",
        when="When the same target at another place of the chip, or another angle, should count as "
             "the same. Take "
        "pixels as features, and mark the changes that do not matter.",
        cost=Cost(((2e-7, 2.0, 0.0), (1.5e-9, 2.0, 1.0)), ((20.0, 2.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Ghodsi 2005",),
        keeps="both",
        year=2005,
        convex=True,
        max_n=5000,
        compares_chips=("distances", "tangent-correction", "reconstruction", "registration"),
    ),
    Method(
        id="are",
        title="ARE, action respecting embedding",
        family="side information",
        kind="embedding",
        needs="actions",
        target="emberscope.embedding.unfolding.are:ARE",
        summary="Unfolds tracks so that the same action is the same motion everywhere: one "
                "rotation and shift of the "
        "map. Tells which actions undo each other, and which frame comes next.",
        when="For a track of overlapping frames whose actions repeat, as orbits and pans by equal "
             "steps do. Not for "
        "hand-held video.",
        cost=Cost(
            ((1.5, 0.0, 0.0), (4e-3, 1.0, 0.0), (1e-10, 3.0, 0.0), (4e-11, 2.0, 1.0)),
            ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
        ),
        references=("Bowling, Ghodsi and Wilkinson 2005", "Ghodsi 2005", "Burer and Monteiro 2005"),
        keeps="both",
        year=2005,
        max_n=5000,
    ),
)
