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
    Method(
        id="multi-attribute-metric", title="Multi-attribute metric", family="side information", kind="embedding",
        needs="pairs", target="emberscope.metric.multi_attribute:MultiAttributeMetric",
        summary="One direction for each attribute by which pairs of chips are compared, such as type and heat, so that "
        "no attribute drowns the others; with two of them the map has a direction for each.",
        when="When pairs are marked by more than one attribute and all shall be seen at once.",
        cost=Cost(((4e-11, 1.0, 2.0), (2e-8, 1.0, 1.0), (3e-9, 0.0, 3.0)), ((700.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
        references=("Ghodsi 2005",),
        keeps="both", year=2005, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="kernel-equivalence-metric", title="Kernel equivalence metric", family="side information", kind="embedding",
        needs="pairs", target="emberscope.metric.kernel_equivalence:KernelEquivalenceMetric",
        summary="The equivalence metric in the directions of a Gaussian kernel: pairs marked alike come near and pairs "
        "marked different part also where no straight direction would do it.",
        when="When the equivalence metric finds that held-out pairs do not agree though you are sure of them.",
        cost=Cost(((1e-9, 3.0, 0.0), (4e-11, 2.0, 1.0)), ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
                  beyond=(1000, Cost(((1.2, 0.0, 0.0), (3e-5, 1.0, 0.0)), ((5e7, 0.0, 0.0), (1000.0, 1.0, 0.0))))),
        references=("Ghodsi 2005", "Williams and Seeger 2001"),
        keeps="both", year=2005,
        out_of_sample="exact",
    ),
    Method(
        id="partial-distance-metric", title="Partial-distance metric", family="side information", kind="embedding",
        needs="distances", target="emberscope.metric.partial_distance:PartialDistanceMetric",
        summary="Changes distances so that those of some pairs match known values, such as meters or degrees; the map "
        "has their unit, and the worst misses are listed.",
        when="When you know how far apart single pairs are: 30 of them or more.",
        cost=Cost(((4e-11, 1.0, 2.0), (2e-8, 1.0, 1.0), (3e-9, 0.0, 3.0), (1.5, 0.0, 0.0)),
                  ((700.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
        references=("Ghodsi 2005", "Beck and Teboulle 2009"),
        keeps="both", year=2005, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="nca", title="NCA, neighborhood components analysis", family="metric embedding", kind="embedding",
        needs="instance", target="emberscope.metric.nca:NCA",
        summary="Straight axes in which the nearest neighbors of an instance are of its class; made for looking at "
        "classes in 2-D. Says how well held-out instances agree.",
        when="When classes lie in several parts, which LDA would press together, and labels are right.",
        cost=Cost(((2.2e-6, 2.0, 0.0),), ((9000.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Goldberger, Roweis, Hinton and Salakhutdinov 2005",),
        keeps="classes", year=2005,
        linear=True, out_of_sample="exact", max_n=10_000,
    ),
    Method(
        id="lmnn", title="LMNN, large margin nearest neighbors", family="metric embedding", kind="embedding",
        needs="instance", target="emberscope.metric.lmnn:LMNN",
        summary="Distances for nearest neighbor classifiers: each instance's neighbors of its class come near, others "
        "stay out by a margin. Says how well held-out instances agree.",
        when="When a nearest neighbor classifier, or a graph method, shall work on better distances; with many axes. "
        "In 2-D the map looks less sorted than that of NCA.",
        cost=Cost(((1e-3, 1.0, 0.0), (3e-7, 2.0, 0.0)), ((20_000.0, 1.0, 0.0), (40.0, 1.0, 1.0))),
        references=("Weinberger and Saul 2009",),
        keeps="classes", year=2009,
        linear=True, out_of_sample="exact", max_n=20_000,
    ),
    Method(
        id="contrastive", title="Contrastive map", family="metric embedding", kind="embedding",
        needs="bag", target="emberscope.metric.contrastive:Contrastive",
        summary="A trained map that draws background together and pushes the likely target of each positive bag a "
        "margin away. Says how well held-out bags agree; the training instances always look separated.",
        when="When bags are labeled and a map shall put every target in one place and the background in another, "
        "for new frames as well.",
        cost=Cost(((8e-4, 1.0, 0.0),), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
                  beyond=(13_000, Cost(((8.0, 0.0, 0.0), (2e-4, 1.0, 0.0)), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0))))),
        references=("Hadsell, Chopra and LeCun 2006",),
        keeps="classes", year=2006,
        out_of_sample="exact",
    ),
    Method(
        id="triplet", title="Triplet map", family="metric embedding", kind="embedding",
        needs="bag", target="emberscope.metric.triplet:Triplet",
        summary="A trained map in which each instance is nearer to its own kind than to any other, by a margin; of a "
        "positive bag only the likely target counts. Says how well held-out bags agree.",
        when="As the contrastive map, when targets come in several kinds: it orders distances and does not press a "
        "kind into one point.",
        cost=Cost(((1.2e-3, 1.0, 0.0),), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
                  beyond=(13_000, Cost(((12.0, 0.0, 0.0), (3e-4, 1.0, 0.0)), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0))))),
        references=("Schroff, Kalenichenko and Philbin 2015",),
        keeps="classes", year=2015,
        out_of_sample="exact",
    ),
)
