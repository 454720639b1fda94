"""Weakly supervised reduction: embeddings that read bag labels."""

from emberscope.catalogue.cost import ALL_PAIRS, Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="midr",
        title="MIDR, logistic regression of bags in few directions",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.reduction.midr:MIDR",
        summary="Reads bags, not instance labels: orthonormal directions with few large entries in "
                "which the most "
        "target-like instance of every bag tells its label. Gives every instance a probability of "
        "being a target.",
        when="When boxes are loose and targets differ from background along one straight "
             "direction; the entries say "
        "which features make it.",
        cost=Cost(
            ((0.2, 0.0, 0.0), (2e-5, 1.0, 0.0), (1e-6, 1.0, 1.0)),
            ((5e7, 0.0, 0.0), (32.0, 1.0, 1.0)),
        ),
        references=("Sun, Ng and Zhou 2010", "Zhu, Liao and Ng 2018"),
        keeps="classes",
        year=2010,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="midlabs",
        title="MidLABS, discriminant analysis of bags and their edges",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.reduction.midlabs:MidLABS",
        summary="Reads bags, not instance labels: the straight directions in which bags of "
                "different labels differ "
        "most for how bags of one label differ, comparing all their instances and how these lie to "
        "each other.",
        when="When most of a positive bag is target, or when the way its parts lie to each other "
             "tells it apart. "
        "Background in large positive bags hides the difference.",
        cost=Cost(
            ((4e-5, 1.0, 0.0), (3e-9, 1.0, 2.0), (1e-8, 0.0, 3.0)),
            ((1e8, 0.0, 0.0), (32.0, 1.0, 1.0), (100.0, 0.0, 2.0)),
        ),
        references=("Ping, Xu, Ren, Chi and Shen 2010",),
        keeps="classes",
        year=2010,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="mida",
        title="MIDA, multiple-instance discriminant analysis",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.reduction.mida:MIDA",
        summary="Reads bags, not instance labels: finds the most target-like instance of every "
                "positive bag together "
        "with the straight directions that set these apart from the background.",
        when="When boxes are loose, so that most instances of a positive bag are background. Of "
             "the methods here "
        "that read labels it is the one that does not take every instance of a positive bag for a "
        "target.",
        cost=Cost(
            ((4e-9, 2.0, 0.0), (2e-11, 2.0, 1.0), (4e-9, 1.0, 2.0), (1e-8, 0.0, 3.0)),
            ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
            beyond=(
                10_000,
                Cost(
                    ((4e-5, 1.0, 0.0), (2e-7, 1.0, 1.0), (4e-9, 1.0, 2.0), (1e-8, 0.0, 3.0)),
                    ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
                ),
            ),
        ),
        references=("Chai, Ding, Chen and Li 2014",),
        keeps="classes",
        year=2014,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="m-mida",
        title="M-MIDA, MIDA of several classes",
        family="weakly supervised reduction",
        kind="reduction",
        needs="classes",
        target="emberscope.mil.reduction.m_mida:MMIDA",
        summary="Reads the classes of bags: finds the instance that stands for its class in every "
                "bag together with "
        "the straight directions that set the classes of targets apart.",
        when="When targets of two classes or more are labeled with loose boxes and shall lie apart "
             "on the map, each "
        "away from the background that their boxes share.",
        cost=Cost(
            ((5e-4, 1.0, 0.0), (4e-7, 1.0, 1.0), (4e-9, 1.0, 2.0), (1e-8, 0.0, 3.0)),
            ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
        ),
        references=("Chai, Ding, Chen and Li 2014",),
        keeps="classes",
        year=2014,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="clfda",
        title="CLFDA, local discriminants of refined labels",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.reduction.clfda:CLFDA",
        summary="First decides which instances of positive bags are targets, by the bags their "
                "nearest neighbors come "
        "from; then separates these from the background as LFDA does, so that targets may be of "
        "several kinds.",
        when="When targets lie together in the features, apart from background, and a good share "
             "of each positive bag "
        "is target. Its labels of instances can be looked at.",
        cost=Cost(
            ((1.3e-8, 2.0, 0.0), (1.4e-10, 2.0, 1.0), (1e-8, 0.0, 3.0)),
            ((1e8, 0.0, 0.0), (40.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
            beyond=(
                5000,
                with_search(
                    ((1e-5, 1.0, 0.0), (8e-8, 1.0, 1.0), (3.5e-7, 1.5, 0.0), (1e-8, 0.0, 3.0)),
                    ((1500.0, 1.0, 0.0), (24.0, 1.0, 1.0)),
                ),
            ),
        ),
        references=("Kim and Choi 2010", "Sugiyama 2007"),
        keeps="classes",
        year=2010,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="mi-fear",
        title="MI-FEAR, ranking of features",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.reduction.mi_fear:MIFEAR",
        summary="Mixes nothing: keeps the features that tell most about the labels of bags, each "
                "judged alone or by "
        "what is lost without it. The axes keep their names.",
        when="To see which features matter, when at least about half of each positive bag is "
             "target; in looser bags "
        "noise ranks first.",
        cost=Cost(((2e-7, 1.0, 1.0),), ((5e7, 0.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Latham 2015",),
        keeps="classes",
        year=2015,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="pole",
        title="pOLE, p-order Laplacian embedding",
        family="weakly supervised reduction",
        kind="reduction",
        needs="none",
        target="emberscope.mil.reduction.pole:POLE",
        summary="LPP with a power of the distance below 2: straight axes along which neighbors "
                "stay near, that wrong "
        "edges of the graph pull less far. Can take bags and labels into the graph.",
        when="When you would take LPP and some neighbors are false friends: noise, clutter, "
             "instances between two "
        "groups. Needs no labels; bags may say which instances belong together. Not before a "
        "classifier of images: it may mix what their features tell apart.",
        cost=with_search(
            ((1e-5, 1.0, 0.0), (2e-7, 1.0, 1.0), (1.5e-9, 1.0, 2.0), (4e-9, 0.0, 3.0)),
            ((2500.0, 1.0, 0.0), (32.0, 1.0, 1.0), (40.0, 0.0, 2.0)), ALL_PAIRS,
        ),
        references=("Elbeleidy 2018", "He and Niyogi 2003"),
        keeps="local",
        year=2018,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="pole-nonnegative",
        title="Nonnegative pOLE, shares in clusters",
        family="weakly supervised reduction",
        kind="reduction",
        needs="none",
        target="emberscope.mil.reduction.pole_nonnegative:NonnegativePOLE",
        summary="Cuts the neighborhood graph into as many clusters as there are coordinates; each "
                "coordinate says how much an instance belongs to one. Nothing is negative, and "
                "clusters overlap only where they touch.",
        when="When instances fall into a known number of groups and you want shares rather than "
             "a map: kinds of vehicles, kinds of ground. Take pOLE for straight axes.",
        cost=with_search(((2e-4, 1.0, 0.0),), ((6000.0, 1.0, 0.0),), ALL_PAIRS),
        references=("Elbeleidy 2018", "Luo, Ding, Huang and Li 2009"),
        keeps="local",
        year=2018,
        measured="lengths",
        max_n=200_000,
    ),
    Method(
        id="mi-le",
        title="MI-LE, S-LE of labels found from bags",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.imputation.mi_le:MILE",
        summary="Finds out which instances of loose boxes are targets: embeds by the labels so "
                "far, relabels every "
        "instance by its neighbors in an embedding made without its bag, again and again. Then "
        "S-LE of these labels.",
        when="When boxes are loose and target and background lie on curved shapes that no straight "
             "axis separates. "
        "The history of labels shows which instances changed sides.",
        cost=Cost(
            ((1.8e-6, 2.0, 0.0), (4e-10, 2.0, 1.0), (2e-3, 1.0, 0.0)),
            ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
            beyond=(
                3000,
                with_search(
                    ((1.5e-3, 1.0, 0.0), (3e-6, 1.0, 1.0), (7e-8, 2.0, 0.0), (2e-9, 2.0, 1.0)),
                    ((2500.0, 1.0, 0.0), (16.0, 1.0, 1.0)),
                ),
            ),
        ),
        references=("Raducanu and Dornaika 2012",),
        keeps="classes",
        year=2012,
        max_n=50_000,
        measured="embedding",
    ),
    Method(
        id="mi-umap",
        title="MI-UMAP, a layout of features and witness scores",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.imputation.mi_umap:MIUMAP",
        summary="Scores how target-like every instance is, by rules that have not seen its bag, "
                "and lays out features "
        "and scores together: targets lie apart, and different grounds stay apart from each other.",
        when="When boxes are loose and one wants a ranking and a map of it in one. On infrared "
             "patches its map parted "
        "targets from ground nearly as well as a classifier that knew every instance.",
        cost=with_search(
            ((0.3, 0.0, 0.0), (1.1e-3, 1.0, 0.0), (1e-6, 1.0, 1.0), (9e-10, 2.0, 1.0)),
            ((2e8, 0.0, 0.0), (1e3, 1.0, 0.0), (40.0, 1.0, 1.0)),
        ),
        references=("Parisi, Strino, Nadler and Kluger 2014", "McInnes, Healy and Melville 2018"),
        keeps="classes",
        year=2018,
        max_n=200_000,
        measured="embedding",
        laid_out=True,
    ),
    Method(
        id="mi-isomap",
        title="MI-Isomap, SE-Isomap of labels found from bags",
        family="weakly supervised reduction",
        kind="reduction",
        needs="bag",
        target="emberscope.mil.imputation.mi_isomap:MIIsomap",
        summary="As MI-LE with SE-Isomap inside: finds out which instances of loose boxes are "
                "targets while unrolling "
        "the data, each relabelled by its neighbors in an embedding made without its bag.",
        when="As MI-LE, when target and background lie well apart along the shape of the data: "
             "there it finds nearly "
        "all of them.",
        cost=Cost(
            ((1.7e-6, 2.0, 0.0), (1.4e-9, 2.0, 1.0), (2e-3, 1.0, 0.0)),
            ((18.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                5000,
                Cost(
                    ((1e-7, 2.0, 0.0), (1.4e-9, 2.0, 1.0), (2e-3, 1.0, 0.0)),
                    ((8000.0, 1.0, 0.0), (24.0, 1.0, 1.0)),
                ),
            ),
        ),
        references=("Geng, Zhan and Zhou 2005", "Ribeiro, Vieira and Carvalho das Neves 2008"),
        keeps="classes",
        year=2008,
        max_n=50_000,
        measured="embedding",
    ),
)
