"""Maps learned so that instances of one kind lie near each other."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="nca",
        title="NCA, neighborhood components analysis",
        family="metric embedding",
        kind="embedding",
        needs="instance",
        target="emberscope.metric.nca:NCA",
        summary="Straight axes in which the nearest neighbors of an instance are of its class; "
                "made for looking at "
        "classes in 2-D. Says how many held-out instances neighbors name.",
        when="When classes lie in several parts, which LDA would press together, and labels are "
             "right.",
        cost=Cost(((2.2e-6, 2.0, 0.0),), ((9000.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Goldberger, Roweis, Hinton and Salakhutdinov 2005",),
        keeps="classes",
        year=2005,
        linear=True,
        out_of_sample="exact",
        max_n=10_000,
    ),
    Method(
        id="lmnn",
        title="LMNN, large margin nearest neighbors",
        family="metric embedding",
        kind="embedding",
        needs="instance",
        target="emberscope.metric.lmnn:LMNN",
        summary="Distances for nearest neighbor classifiers: each instance's neighbors of its "
                "class come near, others "
        "stay out by a margin. Says how many held-out instances neighbors name.",
        when="When a nearest neighbor classifier, or a graph method, shall work on better "
             "distances; with many axes. "
        "In 2-D the map looks less sorted than that of NCA.",
        cost=Cost(((1e-3, 1.0, 0.0), (3e-7, 2.0, 0.0)), ((20_000.0, 1.0, 0.0), (40.0, 1.0, 1.0))),
        references=("Weinberger and Saul 2009",),
        keeps="classes",
        year=2009,
        linear=True,
        out_of_sample="exact",
        max_n=20_000,
    ),
    Method(
        id="contrastive",
        title="Contrastive map",
        family="metric embedding",
        kind="embedding",
        needs="bag",
        target="emberscope.metric.contrastive:Contrastive",
        summary="A trained map that draws background together and pushes the likely target of each "
                "positive bag a "
        "margin away. Says how well held-out bags agree; the training instances always look "
        "separated.",
        when="When bags are labeled and a map shall put every target in one place and the "
             "background in another, "
        "for new frames as well.",
        cost=Cost(
            ((8e-4, 1.0, 0.0),),
            ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
            beyond=(
                13_000,
                Cost(((8.0, 0.0, 0.0), (2e-4, 1.0, 0.0)), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
            ),
        ),
        references=("Hadsell, Chopra and LeCun 2006",),
        keeps="classes",
        year=2006,
        out_of_sample="exact",
        takes=("pairs",),
    ),
    Method(
        id="triplet",
        title="Triplet map",
        family="metric embedding",
        kind="embedding",
        needs="bag",
        target="emberscope.metric.triplet:Triplet",
        summary="A trained map in which each instance is nearer to its own kind than to any other, "
                "by a margin; of a "
        "positive bag only the likely target counts. Says how well held-out bags agree.",
        when="As the contrastive map, when targets come in several kinds: it orders distances and "
             "does not press a "
        "kind into one point.",
        cost=Cost(
            ((1.2e-3, 1.0, 0.0),),
            ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
            beyond=(
                13_000,
                Cost(((12.0, 0.0, 0.0), (3e-4, 1.0, 0.0)), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
            ),
        ),
        references=("Schroff, Kalenichenko and Philbin 2015",),
        keeps="classes",
        year=2015,
        out_of_sample="exact",
        takes=("pairs",),
    ),
    Method(
        id="siamese",
        title="Siamese network",
        family="metric embedding",
        kind="embedding",
        needs="bag",
        target="emberscope.metric.contrastive:Siamese",
        summary="A contrastive map by a deeper network, which sees each instance with noise and "
                "without some inputs, another way each time. Says how well held-out bags agree.",
        when="As the contrastive map, when a border that bends is needed and there are labels "
             "enough for it.",
        cost=Cost(
            ((3e-3, 1.0, 0.0),),
            ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
            beyond=(
                13_000,
                Cost(((30.0, 0.0, 0.0), (7e-4, 1.0, 0.0)), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
            ),
        ),
        references=("Bromley, Guyon, LeCun, Säckinger and Shah 1993",
                    "Hadsell, Chopra and LeCun 2006"),
        keeps="classes",
        year=1993,
        out_of_sample="exact",
        takes=("pairs",),
    ),
    Method(
        id="siamese-triplet",
        title="Siamese triplet network",
        family="metric embedding",
        kind="embedding",
        needs="bag",
        target="emberscope.metric.triplet:SiameseTriplet",
        summary="A triplet map by a deeper network, which sees each instance with noise and "
                "without some inputs, another way each time. Says how well held-out bags agree.",
        when="As the siamese network, when targets come in several kinds, each of which should "
             "keep its inner shape.",
        cost=Cost(
            ((4.4e-3, 1.0, 0.0),),
            ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
            beyond=(
                13_000,
                Cost(((44.0, 0.0, 0.0), (1e-3, 1.0, 0.0)), ((600.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
            ),
        ),
        references=("Hoffer and Ailon 2015", "Schroff, Kalenichenko and Philbin 2015"),
        keeps="classes",
        year=2015,
        out_of_sample="exact",
        takes=("pairs",),
    ),
)
