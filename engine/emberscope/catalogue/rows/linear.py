"""Linear methods: straight axes, with a weight per feature."""

from emberscope.catalogue.cost import ALL_PAIRS, Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="pca",
        title="PCA",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.pca:PCA",
        summary="Looks along the directions in which the instances vary most. Fast, honest about "
                "large distances, "
        "blind to labels and to curved structure. A good first look.",
        when="First, always: it takes a second and cannot be led astray by labels. Where targets "
             "stand out "
        "already, no other method is needed to find them. Its distances may be read as distances "
        "in feature space, as far as the axes kept allow.",
        cost=Cost(
            ((3e-11, 1.0, 2.0), (1e-9, 0.0, 3.0), (8e-9, 1.0, 1.0)),
            ((40.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Pearson 1901", "Hotelling 1933"),
        keeps="global",
        year=1901,
        convex=True,
        linear=True,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="ica",
        title="ICA, independent components",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.ica:ICA",
        summary="Turns the principal components until each axis is as little Gaussian as possible: "
                "unmixes sources "
        "that act independently, and points at clusters and rare instances.",
        when="When several independent causes are mixed in the features, such as background, "
             "sensor and target. "
        "Each axis is one cause; their order and sign mean nothing.",
        cost=Cost(
            ((3e-11, 1.0, 2.0), (1e-9, 0.0, 3.0), (8e-9, 1.0, 1.0), (3e-6, 1.0, 0.0)),
            ((80.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Hyvarinen 1999",),
        keeps="global",
        year=1999,
        linear=True,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="cca",
        title="CCA, canonical correlation analysis",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.cca:CanonicalCorrelation",
        summary="Takes the features for two views of the same instances, and looks for what both "
                "views say alike. What only one of them sees, noise first of all, is left out.",
        when="When features come from two sources, such as shape and brightness, or two bands: "
             "what moves both is more likely the instance than the sensor.",
        cost=Cost(
            ((4e-10, 1.0, 2.0), (8e-9, 0.0, 3.0), (2e-8, 1.0, 1.0)),
            ((16.0, 1.0, 1.0), (60.0, 0.0, 2.0)),
        ),
        references=("Hotelling 1936", "Vinod 1976"),
        keeps="global",
        year=1936,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="nmf",
        title="NMF, nonnegative parts",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.nmf:NMF",
        summary="Every instance as a sum of a few parts that never cancel, each of which can be "
                "looked at. Wants "
        "values that cannot be negative; coordinates stop at 0.",
        when="When features are amounts that add up, such as raw pixels or histograms: its parts "
             "can be looked at, "
        "and each instance is so much of each part.",
        cost=Cost(((5e-7, 1.0, 1.0),), ((8.0, 1.0, 1.0), (200.0, 1.0, 0.0))),
        references=("Lee and Seung 1999",),
        keeps="global",
        year=1999,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="lda",
        title="LDA",
        family="linear",
        kind="embedding",
        needs="instance",
        target="emberscope.embedding.linear.lda:LDA",
        summary="The straight cut that separates target from background best, with principal "
                "components as further "
        "axes. Fast; fails where the classes curve around each other.",
        when="For one axis along which target and background differ most, and as the baseline that "
             "other methods "
        "that read labels have to beat.",
        cost=Cost(
            ((4e-11, 1.0, 2.0), (3e-9, 0.0, 3.0), (1.2e-8, 1.0, 1.0)),
            ((60.0, 1.0, 0.0), (40.0, 0.0, 2.0)),
        ),
        references=("Fisher 1936", "Ledoit and Wolf 2004"),
        keeps="classes",
        year=1936,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="lfda",
        title="LFDA, local Fisher discriminant analysis",
        family="linear",
        kind="embedding",
        needs="instance",
        target="emberscope.embedding.linear.lfda:LFDA",
        summary="LDA for targets that come in several kinds: it separates the classes, but keeps "
                "near only what is "
        "near within a class. Gives as many axes as asked for.",
        when="As LDA, when a class has several kinds: vehicles of several types or views stay "
             "apart instead of "
        "being pressed into one cloud.",
        cost=Cost(
            ((1e-8, 2.0, 0.0), (1e-10, 2.0, 1.0)),
            ((1e8, 0.0, 0.0), (24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
            beyond=(
                5000,
                with_search(
                    ((1e-5, 1.0, 0.0), (8e-8, 1.0, 1.0)), ((1500.0, 1.0, 0.0), (8.0, 1.0, 1.0))
                ),
            ),
        ),
        references=("Sugiyama 2007",),
        keeps="classes",
        year=2007,
        convex=True,
        linear=True,
        out_of_sample="exact",
    ),
    Method(
        id="lpp",
        title="LPP, locality preserving projections",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.lpp:LPP",
        summary="Straight axes along which neighbors stay near: the fast, linear form of Laplacian "
                "eigenmaps, with "
        "exact places for new instances. Can use labels.",
        when="When you want the neighbors of Laplacian eigenmaps but straight axes with weights "
             "per feature, and a "
        "map of new instances at once.",
        cost=with_search(
            ((6e-6, 1.0, 0.0), (6e-8, 1.0, 1.0), (5e-11, 1.0, 2.0)),
            ((1500.0, 1.0, 0.0), (8.0, 1.0, 1.0)),
            ALL_PAIRS,
        ),
        references=("He and Niyogi 2003",),
        keeps="local",
        year=2003,
        convex=True,
        linear=True,
        out_of_sample="exact",
        measured="neighbors",
    ),
    Method(
        id="npe",
        title="NPE, neighborhood preserving embedding",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.npe:NPE",
        summary="Straight axes along which every instance stays the same mix of its neighbors: the "
                "fast, linear form "
        "of LLE, with exact places for new instances.",
        when="As LPP, with local rebuilding instead of nearness: better where instances lie evenly "
             "on a sheet.",
        cost=with_search(
            ((6e-6, 1.0, 0.0), (6e-8, 1.0, 1.0), (5e-11, 1.0, 2.0)),
            ((1500.0, 1.0, 0.0), (8.0, 1.0, 1.0)),
        ),
        references=("He, Cai, Yan and Zhang 2005", "Kokiopoulou and Saad 2007"),
        keeps="local",
        year=2005,
        convex=True,
        linear=True,
        out_of_sample="exact",
        measured="neighbors",
    ),
    Method(
        id="fa",
        title="Factor analysis",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.fa:FA",
        summary="A few common factors behind all features, with a noise of its own for each: not "
                "misled by single "
        "noisy features, and it does not care how features are scaled.",
        when="When some features are much noisier than others: each gets a noise level of its own, "
             "so that a loud "
        "one does not make the axes.",
        cost=Cost(
            ((3e-11, 1.0, 2.0), (5e-9, 0.0, 3.0), (1e-8, 1.0, 1.0)),
            ((40.0, 1.0, 0.0), (40.0, 0.0, 2.0)),
        ),
        references=("Spearman 1904", "Rubin and Thayer 1982"),
        keeps="global",
        year=1904,
        linear=True,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="ppca",
        title="PPCA, probabilistic PCA",
        family="linear",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.linear.ppca:PPCA",
        summary="PCA with a noise model: tells how likely every instance is, which makes an "
                "anomaly score, and takes "
        "missing values such as dead pixels.",
        when="When pixels are dead or values missing: give them as NaN. Also for the likelihood "
             "per instance, "
        "which finds the odd ones.",
        cost=Cost(
            ((3e-11, 1.0, 2.0), (1e-9, 0.0, 3.0), (1e-8, 1.0, 1.0)),
            ((40.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Tipping and Bishop 1999",),
        keeps="global",
        year=1999,
        convex=True,
        linear=True,
        out_of_sample="exact",
        inverse=True,
    ),
)
