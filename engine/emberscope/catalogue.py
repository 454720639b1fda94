"""One table of all methods. Import-light: rows name their class, `load` imports it."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from emberscope.base.errors import ParamError


@dataclass(frozen=True, slots=True)
class Cost:
    """About how much a fit costs: sums of ``coefficient * n**p * d**q``, n rows of d features.

    seconds : terms (coefficient, p, q) on two ordinary cores, measured. bytes : the same for the peak beside X.
    beyond : (n, cost), where a method works another way with more than n rows.
    """

    seconds: "_Terms"
    bytes: "_Terms"
    beyond: "tuple[int, Cost] | None" = None


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the catalogue.

    id : the binding name. title, summary : for a person. family : heading of the list.
    kind : "embedding" (reads X, perhaps instance labels), "reduction" (weakly supervised, reads bags) or "classifier"
    (scores bags and instances, draws no picture: a `BagClassifier`).
    needs : a key of `NEEDS`; a method that needs none may still use labels (see `reads_labels`).
    target : "module:Class". when : when to take it, for a person.
    keeps : what the picture keeps: "local" (neighbors), "global" (large distances), "both" or "classes"; "" for a
    classifier. space : what a classifier classifies, "instance", "bag" or "embedded" (bags as vectors); else "".
    year : of the first reference. convex : one optimum, no restarts, no luck.
    out_of_sample : "exact" (the method's own map), "reconstruction" (from the nearest training instances) or "none".
    max_n : rows beyond which the method refuses or is impractical on two cores; None = no limit of its own.
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


TARGET, BACKGROUND, SECOND_CLASS = "target", "background", "second target class"
# What must be labelled. "instance": labels per instance of two classes; "bag": positive and negative bags; "positive":
# positive bags are enough; "classes": positive bags of two classes of targets.
NEEDS: dict[str, tuple[str, ...]] = {
    "none": (), "instance": (TARGET, BACKGROUND), "bag": (TARGET, BACKGROUND), "positive": (TARGET,),
    "classes": (TARGET, SECOND_CLASS),
}

_Terms = tuple[tuple[float, float, float], ...]


def _with_search(seconds: _Terms, bytes: _Terms) -> Cost:
    """The cost of a method on top of the shared neighbor search, exact up to 30 000 rows."""
    exact: _Terms = (3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0)
    approximate: _Terms = ((3.5e-7, 1.5, 0.0),)
    lists: _Terms = ((600.0, 1.0, 0.0), (16.0, 1.0, 1.0))
    beyond = Cost(seconds + approximate, bytes + lists)
    return Cost(seconds + exact, bytes + lists, (30_000, beyond))


METHODS: tuple[Method, ...] = (
    Method(
        id="pca", title="PCA", family="linear", kind="embedding", needs="none",
        target="emberscope.embedding.linear.pca:PCA",
        summary="Looks along the directions in which the instances vary most. Fast, honest about large distances, "
        "blind to labels and to curved structure. A good first look.",
        when="First, always: it takes a second and cannot be led astray by labels. Where targets stand out "
        "already, no other method is needed to find them. Its distances may be read as distances in feature "
        "space, as far as the axes kept allow.",
        cost=Cost(((3e-11, 1.0, 2.0), (1e-9, 0.0, 3.0), (8e-9, 1.0, 1.0)), ((40.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
        references=("Pearson 1901", "Hotelling 1933"),
        keeps="global", year=1901, convex=True,
        linear=True, out_of_sample="exact", inverse=True,
    ),
    Method(
        id="ica", title="ICA, independent components", family="linear", kind="embedding", needs="none",
        target="emberscope.embedding.linear.ica:ICA",
        summary="Turns the principal components until each axis is as little Gaussian as possible: unmixes sources "
        "that act independently, and points at clusters and rare instances.",
        when="When several independent causes are mixed in the features, such as background, sensor and target. "
        "Each axis is one cause; their order and sign mean nothing.",
        cost=Cost(
            ((3e-11, 1.0, 2.0), (1e-9, 0.0, 3.0), (8e-9, 1.0, 1.0), (3e-6, 1.0, 0.0)),
            ((80.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Hyvarinen 1999",),
        keeps="global", year=1999,
        linear=True, out_of_sample="exact", inverse=True,
    ),
    Method(
        id="nmf", title="NMF, nonnegative parts", family="linear", kind="embedding", needs="none",
        target="emberscope.embedding.linear.nmf:NMF",
        summary="Every instance as a sum of a few parts that never cancel, each of which can be looked at. Wants "
        "values that cannot be negative; coordinates stop at 0.",
        when="When features are amounts that add up, such as raw pixels or histograms: its parts can be looked at, "
        "and each instance is so much of each part.",
        cost=Cost(((5e-7, 1.0, 1.0),), ((8.0, 1.0, 1.0), (200.0, 1.0, 0.0))),
        references=("Lee and Seung 1999",),
        keeps="global", year=1999,
        out_of_sample="exact", inverse=True,
    ),
    Method(
        id="lda", title="LDA", family="linear", kind="embedding", needs="instance",
        target="emberscope.embedding.linear.lda:LDA",
        summary="The straight cut that separates target from background best, with principal components as further "
        "axes. Fast; fails where the classes curve around each other.",
        when="For one axis along which target and background differ most, and as the baseline that other methods "
        "that read labels have to beat.",
        cost=Cost(((4e-11, 1.0, 2.0), (3e-9, 0.0, 3.0), (1.2e-8, 1.0, 1.0)), ((60.0, 1.0, 0.0), (40.0, 0.0, 2.0))),
        references=("Fisher 1936", "Ledoit and Wolf 2004"),
        keeps="classes", year=1936, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="lfda", title="LFDA, local Fisher discriminant analysis", family="linear", kind="embedding",
        needs="instance", target="emberscope.embedding.linear.lfda:LFDA",
        summary="LDA for targets that come in several kinds: it separates the classes, but keeps near only what is "
        "near within a class. Gives as many axes as asked for.",
        when="As LDA, when a class has several kinds: vehicles of several types or views stay apart instead of "
        "being pressed into one cloud.",
        cost=Cost(
            ((1e-8, 2.0, 0.0), (1e-10, 2.0, 1.0)), ((1e8, 0.0, 0.0), (24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
            beyond=(5000, _with_search(((1e-5, 1.0, 0.0), (8e-8, 1.0, 1.0)), ((1500.0, 1.0, 0.0), (8.0, 1.0, 1.0)))),
        ),
        references=("Sugiyama 2007",),
        keeps="classes", year=2007, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="lpp", title="LPP, locality preserving projections", family="linear", kind="embedding", needs="none",
        target="emberscope.embedding.linear.lpp:LPP",
        summary="Straight axes along which neighbors stay near: the fast, linear cousin of Laplacian eigenmaps, with "
        "exact places for new instances. Can use labels.",
        when="When you want the neighbors of Laplacian eigenmaps but straight axes with weights per feature, and a "
        "map of new instances at once.",
        cost=_with_search(
            ((6e-6, 1.0, 0.0), (6e-8, 1.0, 1.0), (5e-11, 1.0, 2.0)), ((1500.0, 1.0, 0.0), (8.0, 1.0, 1.0))
        ),
        references=("He and Niyogi 2003",),
        keeps="local", year=2003, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="npe", title="NPE, neighborhood preserving embedding", family="linear", kind="embedding", needs="none",
        target="emberscope.embedding.linear.npe:NPE",
        summary="Straight axes along which every instance stays the same mix of its neighbors: the fast, linear cousin "
        "of LLE, with exact places for new instances.",
        when="As LPP, with local rebuilding instead of nearness: better where instances lie evenly on a sheet.",
        cost=_with_search(
            ((6e-6, 1.0, 0.0), (6e-8, 1.0, 1.0), (5e-11, 1.0, 2.0)), ((1500.0, 1.0, 0.0), (8.0, 1.0, 1.0))
        ),
        references=("He, Cai, Yan and Zhang 2005", "Kokiopoulou and Saad 2007"),
        keeps="local", year=2005, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="fa", title="Factor analysis", family="linear", kind="embedding", needs="none",
        target="emberscope.embedding.linear.fa:FA",
        summary="A few common factors behind all features, with a noise of its own for each: not misled by single "
        "noisy features, and it does not care how features are scaled.",
        when="When some features are much noisier than others: each gets a noise level of its own, so that a loud "
        "one does not make the axes.",
        cost=Cost(((3e-11, 1.0, 2.0), (5e-9, 0.0, 3.0), (1e-8, 1.0, 1.0)), ((40.0, 1.0, 0.0), (40.0, 0.0, 2.0))),
        references=("Spearman 1904", "Rubin and Thayer 1982"),
        keeps="global", year=1904,
        linear=True, out_of_sample="exact", inverse=True,
    ),
    Method(
        id="ppca", title="PPCA, probabilistic PCA", family="linear", kind="embedding", needs="none",
        target="emberscope.embedding.linear.ppca:PPCA",
        summary="PCA with a noise model: tells how likely every instance is, which makes an anomaly score, and takes "
        "missing values such as dead pixels.",
        when="When pixels are dead or values missing: give them as NaN. Also for the likelihood per instance, "
        "which finds the odd ones.",
        cost=Cost(((3e-11, 1.0, 2.0), (1e-9, 0.0, 3.0), (1e-8, 1.0, 1.0)), ((40.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
        references=("Tipping and Bishop 1999",),
        keeps="global", year=1999, convex=True,
        linear=True, out_of_sample="exact", inverse=True,
    ),
    Method(
        id="mds", title="MDS, classical scaling", family="distance", kind="embedding", needs="none",
        target="emberscope.embedding.distance.mds:MDS",
        summary="Fits all distances between instances at once, near and far alike. With Euclidean distances it gives "
        "the picture of PCA; cosine or cityblock distances, or a table of any others, give one of their own.",
        when="When all large distances count and instances are few. Of plain features it gives the picture of PCA.",
        cost=Cost(((6e-8, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((9.0, 2.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Torgerson 1952", "Gower 1966", "Cailliez 1983"),
        keeps="global", year=1952, convex=True,
        out_of_sample="exact", max_n=10_000,
    ),
    Method(
        id="landmark-mds", title="Landmark MDS", family="distance", kind="embedding", needs="none",
        target="emberscope.embedding.distance.landmark_mds:LandmarkMDS",
        summary="Classical scaling for many instances: a few hundred are scaled with all their distances, the others "
        "are placed by their distances to these. Nearly the same picture, in seconds.",
        when="As scaling of all distances, for very many instances: the distances to a few landmarks place all the "
        "others.",
        cost=Cost(((1e-5, 1.0, 0.0), (1e-8, 1.0, 1.0)), ((5000.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("de Silva and Tenenbaum 2004",),
        keeps="global", year=2004, convex=True,
        out_of_sample="exact", max_n=1_000_000,
    ),
    Method(
        id="smacof", title="SMACOF, metric scaling", family="distance", kind="embedding", needs="none",
        target="emberscope.embedding.distance.smacof:Smacof",
        summary="Draws all distances as true to length as a picture can, by small steps from PCA. Shows the large "
        "shape honestly; neighbors count no more than anything else.",
        when="When the picture shall keep distances as they are, neither near nor far ones first. The stress in "
        "the notes says how badly that had to fail.",
        cost=Cost(
            ((1e-7, 2.0, 0.0), (4e-11, 2.0, 1.0), (1e-4, 1.0, 0.0)), ((10.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(4000, _with_search(((1.2e-4, 1.0, 0.0), (2.5e-7, 1.0, 1.0)), ((7e7, 0.0, 0.0),))),
        ),
        references=("De Leeuw 1977", "De Silva and Tenenbaum 2004"),
        keeps="global", year=1977,
        max_n=1_000_000,
    ),
    Method(
        id="sammon", title="Sammon mapping", family="distance", kind="embedding", needs="none",
        target="emberscope.embedding.distance.sammon:Sammon",
        summary="Keeps all distances, short ones most: between PCA, which keeps the long ones, and methods that keep "
        "neighbors only. Among many features all distances are alike, and it is much like SMACOF.",
        when="When small distances matter more than large ones but clusters shall not be torn apart as layouts do.",
        cost=Cost(
            ((1.5e-7, 2.0, 0.0), (4e-11, 2.0, 1.0), (1e-4, 1.0, 0.0)), ((10.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(4000, _with_search(((1.5e-4, 1.0, 0.0), (2.5e-7, 1.0, 1.0)), ((7e7, 0.0, 0.0),))),
        ),
        references=("Sammon 1969",),
        keeps="both", year=1969,
        max_n=1_000_000,
    ),
    Method(
        id="kpca", title="Kernel PCA", family="kernel and geodesic", kind="embedding", needs="none",
        target="emberscope.embedding.kernel.kpca:KernelPCA",
        summary="Principal components of likenesses instead of features: straight axes in a space that the kernel "
        "bends. Sees clusters and curved trends; the width of the kernel decides what counts as alike.",
        when="When PCA is too straight and a graph too fickle: a smooth bend with few parameters. The width of the "
        "kernel decides; try half and double.",
        cost=Cost(
            ((6e-8, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((9.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(10_000, Cost(((6e-5, 1.0, 0.0), (8e-8, 1.0, 1.0)), ((20_000.0, 0.0, 1.0), (8.0, 1.0, 1.0)))),
        ),
        references=("Schölkopf, Smola and Müller 1998", "Williams and Seeger 2001"),
        keeps="global", year=1998, convex=True,
        out_of_sample="exact", inverse=True, max_n=1_000_000,
    ),
    Method(
        id="isomap", title="Isomap", family="kernel and geodesic", kind="embedding", needs="none",
        target="emberscope.embedding.kernel.isomap:Isomap",
        summary="Unrolls a curved sheet: distances are measured along the data, not through the air. "
        "Good for pose and range; holes and noise bridges distort it.",
        when="For data that lie on a curved sheet with few parameters, such as aspect and range. Not for data that "
        "fall into separate clusters.",
        cost=Cost(
            ((9e-8, 2.0, 0.0), (5e-5, 1.0, 0.0)), ((9.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
            beyond=(5000, _with_search(((1.0e-4, 1.0, 0.0),), ((4500.0, 1.0, 0.0),))),
        ),
        references=("Tenenbaum, de Silva and Langford 2000", "de Silva and Tenenbaum 2004"),
        keeps="global", year=2000, convex=True,
        out_of_sample="exact", max_n=1_000_000,
    ),
    Method(
        id="landmark-isomap", title="Landmark Isomap", family="kernel and geodesic", kind="embedding", needs="none",
        target="emberscope.embedding.kernel.landmark_isomap:LandmarkIsomap",
        summary="Isomap for many instances: a few hundred of them measure the distances along the data, all others are "
        "placed by their distances to these. Nearly the same picture in a fraction of the time.",
        when="Isomap for more than a few thousand instances: a hundred times faster and nearly the same picture.",
        cost=_with_search(((1.0e-4, 1.0, 0.0),), ((4500.0, 1.0, 0.0),)),
        references=("de Silva and Tenenbaum 2004",),
        keeps="global", year=2004, convex=True,
        out_of_sample="exact", max_n=1_000_000,
    ),
    Method(
        id="lle", title="LLE, locally linear embedding", family="local and graph spectral", kind="embedding",
        needs="none", target="emberscope.embedding.spectral.lle:LLE",
        summary="Rebuilds every instance from its neighbors, in the features and in the picture with the same weights. "
        "Unrolls smooth sheets; noise and gaps make it collapse into spikes.",
        when="For one sheet without clusters. Modified LLE is the safer of the two.",
        cost=Cost(
            ((1e-4, 1.0, 0.0), (4e-12, 3.0, 0.0), (3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0)),
            ((6000.0, 1.0, 0.0), (3.0, 2.0, 0.0)),
            beyond=(15_000, _with_search(((4e-4, 1.0, 0.0),), ((8000.0, 1.0, 0.0),))),
        ),
        references=("Roweis and Saul 2000",),
        keeps="local", year=2000, convex=True,
        max_n=200_000,
    ),
    Method(
        id="mlle", title="Modified LLE", family="local and graph spectral", kind="embedding",
        needs="none", target="emberscope.embedding.spectral.mlle:MLLE",
        summary="LLE with several sets of weights per neighborhood: the same idea, several times steadier. "
        "Prefer it to LLE for a smooth sheet such as pose or range.",
        when="For one sheet without clusters; several sets of weights per instance keep it from collapsing where "
        "LLE does.",
        cost=_with_search(((1.2e-4, 1.0, 0.0), (4e-9, 2.0, 0.0)), ((6000.0, 1.0, 0.0),)),
        references=("Zhang and Wang 2006",),
        keeps="local", year=2006, convex=True,
        max_n=200_000,
    ),
    Method(
        id="hessian-lle", title="Hessian LLE", family="local and graph spectral", kind="embedding",
        needs="none", target="emberscope.embedding.spectral.hessian_lle:HessianLLE",
        summary="Looks for coordinates that do not bend along the sheet. The most exact map of anything that can be "
        "laid flat, even with holes; wants little noise and many neighbors.",
        when="For a sheet with holes, where Isomap's detours distort. It needs more neighbors than the square of "
        "the dimensions.",
        cost=_with_search(((1.2e-4, 1.0, 0.0), (4e-9, 2.0, 0.0)), ((6000.0, 1.0, 0.0),)),
        references=("Donoho and Grimes 2003",),
        keeps="local", year=2003, convex=True,
        max_n=200_000,
    ),
    Method(
        id="ltsa", title="LTSA, local tangent space alignment", family="local and graph spectral", kind="embedding",
        needs="none", target="emberscope.embedding.spectral.ltsa:LTSA",
        summary="Fits a plane to every neighborhood and lays all planes side by side. Unrolls smooth sheets with true "
        "proportions; short cuts between folds fold the picture.",
        when="For one sheet, evenly sampled: local planes are laid side by side. Sensitive to noise off the sheet.",
        cost=_with_search(((1.2e-4, 1.0, 0.0), (4e-9, 2.0, 0.0)), ((6000.0, 1.0, 0.0),)),
        references=("Zhang and Zha 2004",),
        keeps="local", year=2004, convex=True,
        max_n=200_000,
    ),
    Method(
        id="laplacian-eigenmaps", title="Laplacian eigenmaps", family="local and graph spectral", kind="embedding",
        needs="none", target="emberscope.embedding.spectral.laplacian_eigenmaps:LaplacianEigenmaps",
        summary="Keeps neighbors near and lets the rest fall where it may. Shows clusters and gradual changes; "
        "distances between far parts mean little.",
        when="For clusters and slow changes along a sequence, such as a vehicle that turns. Where some instances "
        "are far from all others, the first axes show only these: ignore them and run again.",
        cost=_with_search(((4e-5, 1.0, 0.0),), ((4000.0, 1.0, 0.0),)),
        references=("Belkin and Niyogi 2003",),
        keeps="local", year=2003, convex=True,
        max_n=500_000,
    ),
    Method(
        id="diffusion-maps", title="Diffusion maps", family="local and graph spectral", kind="embedding",
        needs="none", target="emberscope.embedding.spectral.diffusion_maps:DiffusionMaps",
        summary="Two instances are near when a random walk over neighbors easily gets from one to the other. Steady "
        "against noise and short cuts; shows slow changes, whatever the sampling density.",
        when="As Laplacian eigenmaps, when instances are sampled unevenly, or a few false edges must not matter: "
        "it averages over all paths.",
        cost=_with_search(((8e-5, 1.0, 0.0),), ((12_000.0, 1.0, 0.0),)),
        references=("Coifman and Lafon 2006",),
        keeps="both", year=2006, convex=True,
        max_n=500_000,
    ),
    Method(
        id="mvu", title="MVU, maximum variance unfolding", family="unfolding", kind="embedding", needs="none",
        target="emberscope.embedding.unfolding.mvu:MVU",
        summary="Pulls the data apart as far as it goes while neighbors keep their distance, and says how many "
        "dimensions that takes. True to lengths; one short circuit between far parts holds everything back.",
        when="For a few thousand instances on a curved sheet when you want to know how many dimensions it has: the "
        "spectrum says so.",
        cost=_with_search(((7e-4, 1.0, 0.0), (2.5e-8, 2.0, 0.0)), ((4500.0, 1.0, 0.0), (16.0, 1.0, 1.0))),
        references=("Weinberger and Saul 2004", "Burer and Monteiro 2005", "Weinberger, Sha, Zhu and Saul 2007"),
        keeps="both", year=2004, convex=True,
        max_n=200_000,
    ),
    Method(
        id="som", title="SOM, self-organizing map", family="principal manifolds", kind="embedding", needs="none",
        target="emberscope.embedding.principal.som:SOM",
        summary="Lays a lattice of prototypes into the data, neighbors on the lattice alike. Ridges between prototypes "
        "show clusters; an instance far from its prototype is unlike all others.",
        when="For an overview of very many instances by a few hundred prototypes, in an order that can be printed.",
        cost=Cost(((3e-7, 1.5, 0.0), (6e-9, 1.5, 1.0)), ((400.0, 1.0, 0.0), (16.0, 1.0, 1.0))),
        references=("Kohonen 1990",),
        keeps="local", year=1990,
        out_of_sample="exact", inverse=True,
    ),
    Method(
        id="gng", title="Growing neural gas", family="principal manifolds", kind="embedding", needs="none",
        target="emberscope.embedding.principal.gng:GrowingNeuralGas",
        summary="Grows a graph of prototypes into the data, dense where the data are, and draws the graph. Its work "
        "does not grow with the number of instances: a quick look at very many.",
        when="For a first look at very many instances, and to see whether they fall into parts or close to rings.",
        cost=Cost(((1e-5, 1.0, 0.0), (8e-7, 1.0, 1.0)), ((200.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Fritzke 1995",),
        keeps="global", year=1995,
    ),
    Method(
        id="elastic-map", title="Elastic map", family="principal manifolds", kind="embedding", needs="none",
        target="emberscope.embedding.principal.elastic_map:ElasticMap",
        summary="Lays a sheet of springs through the middle of the data and flattens it: between PCA and a map of "
        "every detail, as stiff as you like. Any point of the map gives features back.",
        when="When PCA is nearly right but the data are bent, and when empty places of the map shall be looked at. "
        "Raise the bending stiffness until the sheet is as smooth as the data deserve.",
        cost=Cost(((1.5e-6, 1.5, 0.0), (3e-8, 1.5, 1.0)), ((400.0, 1.0, 0.0), (32.0, 1.0, 1.0), (2e7, 0.0, 0.0))),
        references=("Gorban and Zinovyev 2008",),
        keeps="both", year=2008,
        out_of_sample="exact", inverse=True,
    ),
    Method(
        id="principal-curve", title="Principal curve", family="principal manifolds", kind="embedding", needs="none",
        target="emberscope.embedding.principal.principal_curve:PrincipalCurve",
        summary="One smooth line through the middle of the data: the first axis is the way along it, for instance "
        "range or aspect, the second how far an instance lies beside it.",
        when="When one thing changes: range along a run, aspect along a circle. Instances far from the line in the "
        "second axis do not belong to it.",
        cost=Cost(((1e-4, 1.0, 0.0), (1e-6, 1.0, 1.0)), ((400.0, 1.0, 0.0), (32.0, 1.0, 1.0))),
        references=("Hastie and Stuetzle 1989",),
        keeps="global", year=1989,
        out_of_sample="exact", inverse=True,
    ),
    Method(
        id="autoencoder", title="Autoencoder", family="principal manifolds", kind="embedding", needs="none",
        target="emberscope.embedding.principal.autoencoder:Autoencoder",
        summary="A network squeezes the features through a few numbers and gives them back. Bends where PCA is "
        "straight, maps new instances at once, and tells which instances it cannot explain.",
        when="When new instances come all the time, and to find instances that it cannot give back. It wants "
        "thousands of instances.",
        cost=Cost(((1.2e-3, 1.0, 0.0), (2e-8, 1.0, 1.0)), ((2000.0, 1.0, 0.0), (16.0, 1.0, 1.0))),
        references=("Kramer 1991", "Hinton and Salakhutdinov 2006"),
        keeps="global", year=1991,
        out_of_sample="exact", inverse=True,
    ),
    Method(
        id="mofa", title="Mixture of factor analyzers", family="latent variable", kind="embedding", needs="none",
        target="emberscope.embedding.latent.mofa:MixtureOfFactorAnalyzers",
        summary="Explains the instances by several flat local models and takes the noise off them before it looks "
        "along the main directions. Tells how likely every instance is: the unlikely ones stand out.",
        when="When the data fall into several flat clouds and you want to know which one an instance belongs to, "
        "and how unlikely it is.",
        cost=Cost(((2e-3, 1.0, 0.0), (4e-6, 1.0, 1.0)), ((3000.0, 1.0, 0.0), (8.0, 1.0, 1.0), (2000.0, 0.0, 1.0))),
        references=("Ghahramani and Hinton 1996", "Tipping and Bishop 1999"),
        keeps="global", year=1996,
        out_of_sample="exact",
    ),
    Method(
        id="gtm", title="GTM, generative topographic mapping", family="latent variable", kind="embedding",
        needs="none", target="emberscope.embedding.latent.gtm:GTM",
        summary="Bends a sheet through the instances and says for each how probable every place on the sheet is. "
        "A point of the map gives features back, so empty places can be looked at.",
        when="When each place shall come with its uncertainty, and when places between instances shall be looked "
        "at.",
        cost=Cost(((4e-4, 1.0, 0.0), (2e-6, 1.0, 1.0)), ((6000.0, 1.0, 0.0), (16_000.0, 0.0, 1.0))),
        references=("Bishop, Svensen and Williams 1998",),
        keeps="both", year=1998,
        out_of_sample="exact", inverse=True,
    ),
    Method(
        id="charting", title="Manifold charting", family="latent variable", kind="embedding", needs="none",
        target="emberscope.embedding.latent.charting:Charting",
        summary="Covers the data with overlapping flat charts and joins them into one map, with axes in units of the "
        "features. Says for every instance how far its charts disagree, and gives features for any point.",
        when="For a curved sheet with noise, when axes shall have units, and doubtful places shall say so.",
        cost=_with_search(((2e-3, 1.0, 0.0), (4e-6, 1.0, 1.0)), ((4000.0, 1.0, 0.0),)),
        references=("Brand 2003",),
        keeps="global", year=2003,
        out_of_sample="exact", inverse=True,
    ),
    Method(
        id="tsne", title="t-SNE", family="layouts", kind="embedding", needs="none",
        target="emberscope.embedding.layout.tsne:TSNE",
        summary="Draws every instance beside its neighbors; clusters stand out clearly. Sizes of clusters and "
        "distances between them mean nothing.",
        when="To find groups of like instances and mark them with a few lassos. Run it again with another seed "
        "before you believe a shape.",
        cost=_with_search(((3e-4, 1.0, 0.0),), ((2000.0, 1.0, 0.0),)),
        references=("van der Maaten and Hinton 2008", "Linderman et al. 2019", "Belkina et al. 2019"),
        keeps="local", year=2008,
        max_n=1_000_000,
    ),
    Method(
        id="umap", title="UMAP", family="layouts", kind="embedding", needs="none",
        target="emberscope.embedding.layout.umap:UMAP",
        summary="Draws every instance beside its neighbors, fast, and keeps rings and strands whole. Labels can lead "
        "it; after a relabel the picture goes on. Distances between far clusters mean little.",
        when="The quick way to a picture of neighbors, also of hundreds of thousands of instances, and one that "
        "goes on from the last picture after a relabel. Sizes and gaps mean little.",
        cost=_with_search(((5e-5, 1.0, 0.0),), ((1500.0, 1.0, 0.0),)),
        references=("McInnes, Healy and Melville 2018",),
        keeps="local", year=2018,
        max_n=2_000_000,
    ),
    Method(
        id="largevis", title="LargeVis", family="layouts", kind="embedding", needs="none",
        target="emberscope.embedding.layout.largevis:LargeVis",
        summary="Likely neighbors together as in t-SNE, everything else strongly apart: clusters with wide gaps. "
        "Near neighbors are kept very well; distances between clusters mean little.",
        when="As UMAP, with stronger separation: clusters are rounder and farther apart.",
        cost=_with_search(((1.2e-4, 1.0, 0.0),), ((4500.0, 1.0, 0.0),)),
        references=("Tang, Liu, Zhang and Mei 2016",),
        keeps="local", year=2016,
        max_n=1_000_000,
    ),
    Method(
        id="pacmap", title="PaCMAP", family="layouts", kind="embedding", needs="none",
        target="emberscope.embedding.layout.pacmap:PaCMAP",
        summary="Neighbors together, random pairs apart, and pairs in between held first, so that the large shape of "
        "the data survives better than in other layouts. Fast.",
        when="As UMAP, when the large arrangement of the clusters shall count as well.",
        cost=_with_search(((1.2e-4, 1.0, 0.0), (3e-8, 1.0, 1.0)), ((3500.0, 1.0, 0.0),)),
        references=("Wang, Huang, Rudin and Shaposhnik 2021",),
        keeps="both", year=2021,
        max_n=1_000_000,
    ),
    Method(
        id="s-le", title="S-LE, supervised Laplacian eigenmaps", family="supervised", kind="embedding",
        needs="instance", target="emberscope.embedding.supervised.s_le:SLE",
        summary="Pulls instances with the same label together and pushes different labels apart, along the shape of "
        "the data. The training picture always looks separated: judge it on instances it has not seen.",
        when="When labels are mostly right and you want the classes apart on the map: to look for instances that "
        "lie with the wrong class, which may be labeled wrongly. The suggestion of the Run panel as soon as "
        "target and background are labeled.",
        cost=Cost(
            ((1.4e-7, 2.0, 0.0), (1e-11, 2.0, 1.0)), ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
            beyond=(3000, _with_search(((2e-5, 1.0, 0.0), (2e-9, 2.0, 0.0)), ((2500.0, 1.0, 0.0),))),
        ),
        references=("Raducanu and Dornaika 2012",),
        keeps="classes", year=2012, convex=True,
        max_n=200_000,
    ),
    Method(
        id="se-isomap", title="SE-Isomap, supervised Isomap", family="supervised", kind="embedding", needs="instance",
        target="emberscope.embedding.supervised.se_isomap:SEIsomap",
        summary="Unrolls the data along a graph in which instances of one label are near each other and different "
        "labels far apart. The training picture always looks separated: judge it on instances it has not seen.",
        when="As S-LE, when the shape inside each class shall be seen at its true length as well, not only that the "
        "classes are apart.",
        cost=Cost(
            ((1.3e-7, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((18.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(5000, Cost(
                ((3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0), (5e-5, 1.0, 0.0)), ((8000.0, 1.0, 0.0), (24.0, 1.0, 1.0))
            )),
        ),
        references=("Geng, Zhan and Zhou 2005", "Ribeiro, Vieira and Carvalho das Neves 2008"),
        keeps="classes", year=2005, convex=True,
        max_n=100_000,
    ),
    Method(
        id="smds", title="SMDS, supervised metric scaling", family="supervised", kind="embedding", needs="instance",
        target="emberscope.embedding.supervised.smds:SMDS",
        summary="Distances as true as the labels allow, with the target class to the upper right. One slider goes from "
        "plain scaling to classes only. Training instances always look separated: judge it on others.",
        when="For up to 3000 instances, when the classes shall lie in order along every axis while distances still "
        "count.",
        cost=Cost(((7e-7, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((12.0, 2.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Witten and Tibshirani 2011",),
        keeps="classes", year=2011,
        max_n=3000,
    ),
    Method(
        id="supervised-pca", title="Supervised PCA, Bayesian factor regression", family="supervised", kind="embedding",
        needs="instance", target="emberscope.embedding.supervised.supervised_pca:SupervisedPCA",
        summary="A few causes behind both the features and the label, as a probability model: the picture, and how "
        "much every instance speaks for each class. Unlabelled instances help.",
        when="When labels are few or weak and PCA alone misses them: the axes explain features and labels "
        "together.",
        cost=Cost(((1.3e-5, 1.0, 0.0), (5.5e-7, 1.0, 1.0), (1e-9, 0.0, 3.0)), ((200.0, 1.0, 0.0), (24.0, 0.0, 2.0))),
        references=("Murphy 2012", "Jaakkola and Jordan 2000"),
        keeps="classes", year=2012,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="midr", title="MIDR, logistic regression of bags in few directions",
        family="weakly supervised reduction", kind="reduction", needs="bag",
        target="emberscope.mil.reduction.midr:MIDR",
        summary="Reads bags, not instance labels: orthonormal directions with few large entries in which the most "
        "target-like instance of every bag tells its label. Gives every instance a probability of being a target.",
        when="When boxes are loose and targets differ from background along one straight direction; the entries say "
        "which features make it.",
        cost=Cost(((0.2, 0.0, 0.0), (2e-5, 1.0, 0.0), (1e-6, 1.0, 1.0)), ((5e7, 0.0, 0.0), (32.0, 1.0, 1.0))),
        references=("Sun, Ng and Zhou 2010", "Zhu, Liao and Ng 2018"),
        keeps="classes", year=2010,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="midlabs", title="MidLABS, discriminant analysis of bags and their edges",
        family="weakly supervised reduction", kind="reduction", needs="bag",
        target="emberscope.mil.reduction.midlabs:MidLABS",
        summary="Reads bags, not instance labels: the straight directions in which bags of different labels differ "
        "most for how bags of one label differ, comparing all their instances and how these lie to each other.",
        when="When most of a positive bag is target, or when the way its parts lie to each other tells it apart. "
        "Background in large positive bags hides the difference.",
        cost=Cost(
            ((4e-5, 1.0, 0.0), (3e-9, 1.0, 2.0), (1e-8, 0.0, 3.0)),
            ((1e8, 0.0, 0.0), (32.0, 1.0, 1.0), (100.0, 0.0, 2.0)),
        ),
        references=("Ping, Xu, Ren, Chi and Shen 2010",),
        keeps="classes", year=2010, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="mida", title="MIDA, multiple-instance discriminant analysis", family="weakly supervised reduction",
        kind="reduction", needs="bag", target="emberscope.mil.reduction.mida:MIDA",
        summary="Reads bags, not instance labels: finds the most target-like instance of every positive bag together "
        "with the straight directions that set these apart from the background.",
        when="When boxes are loose, so that most instances of a positive bag are background. Of the methods here "
        "that read labels it is the one that does not take every instance of a positive bag for a target.",
        cost=Cost(
            ((4e-9, 2.0, 0.0), (2e-11, 2.0, 1.0), (4e-9, 1.0, 2.0), (1e-8, 0.0, 3.0)),
            ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
        ),
        references=("Chai, Ding, Chen and Li 2014",),
        keeps="classes", year=2014,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="m-mida", title="M-MIDA, MIDA of several classes", family="weakly supervised reduction",
        kind="reduction", needs="classes", target="emberscope.mil.reduction.m_mida:MMIDA",
        summary="Reads the classes of bags: finds the instance that stands for its class in every bag together with "
        "the straight directions that set the classes of targets apart.",
        when="When targets of two classes or more are labeled with loose boxes and shall lie apart on the map, each "
        "away from the background that their boxes share.",
        cost=Cost(
            ((1.2e-7, 2.0, 0.0), (2e-11, 2.0, 1.0), (4e-9, 1.0, 2.0), (1e-8, 0.0, 3.0)),
            ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
        ),
        references=("Chai, Ding, Chen and Li 2014",),
        keeps="classes", year=2014,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="clfda", title="CLFDA, local discriminants of refined labels",
        family="weakly supervised reduction", kind="reduction", needs="bag",
        target="emberscope.mil.reduction.clfda:CLFDA",
        summary="First decides which instances of positive bags are targets, by the bags their nearest neighbors come "
        "from; then separates these from the background as LFDA does, so that targets may be of several kinds.",
        when="When targets lie together in the features, apart from background, and a good share of each positive bag "
        "is target. Its labels of instances can be looked at.",
        cost=Cost(
            ((1.3e-8, 2.0, 0.0), (1.4e-10, 2.0, 1.0), (1e-8, 0.0, 3.0)),
            ((1e8, 0.0, 0.0), (40.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
            beyond=(5000, _with_search(
                ((1e-5, 1.0, 0.0), (8e-8, 1.0, 1.0), (3.5e-7, 1.5, 0.0), (1e-8, 0.0, 3.0)),
                ((1500.0, 1.0, 0.0), (24.0, 1.0, 1.0)),
            )),
        ),
        references=("Kim and Choi 2010", "Sugiyama 2007"),
        keeps="classes", year=2010, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="mi-fear", title="MI-FEAR, ranking of features",
        family="weakly supervised reduction", kind="reduction", needs="bag",
        target="emberscope.mil.reduction.mi_fear:MIFEAR",
        summary="Mixes nothing: keeps the features that tell most about the labels of bags, each judged alone or by "
        "what is lost without it. The axes keep their names.",
        when="To see which features matter, when at least about half of each positive bag is target; in looser bags "
        "noise ranks first.",
        cost=Cost(((2e-7, 1.0, 1.0),), ((5e7, 0.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Latham 2015",),
        keeps="classes", year=2015, convex=True,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="pole", title="pOLE, p-order Laplacian embedding", family="weakly supervised reduction", kind="reduction",
        needs="none", target="emberscope.mil.reduction.pole:POLE",
        summary="LPP with a power of the distance below 2: straight axes along which neighbors stay near, that wrong "
        "edges of the graph pull less far. Can take bags and labels into the graph.",
        when="When you would take LPP and some neighbors are false friends: noise, clutter, instances between two "
        "groups. Needs no labels; bags may say which instances belong together.",
        cost=_with_search(
            ((1e-5, 1.0, 0.0), (2e-7, 1.0, 1.0), (1.5e-9, 1.0, 2.0), (4e-9, 0.0, 3.0)),
            ((2500.0, 1.0, 0.0), (32.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
        ),
        references=("Elbeleidy 2018", "He and Niyogi 2003"),
        keeps="local", year=2018,
        linear=True, out_of_sample="exact",
    ),
    Method(
        id="mi-le", title="MI-LE, S-LE of labels found from bags", family="weakly supervised reduction",
        kind="reduction", needs="bag", target="emberscope.mil.imputation.mi_le:MILE",
        summary="Finds out which instances of loose boxes are targets: embeds by the labels so far, relabels every "
        "instance by its neighbors in an embedding made without its bag, again and again. Then S-LE of these labels.",
        when="When boxes are loose and target and background lie on curved shapes that no straight axis separates. "
        "The history of labels shows which instances changed sides.",
        cost=Cost(
            ((1.8e-6, 2.0, 0.0), (4e-10, 2.0, 1.0), (2e-3, 1.0, 0.0)), ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
            beyond=(3000, _with_search(((7e-4, 1.0, 0.0), (7e-8, 2.0, 0.0)), ((2500.0, 1.0, 0.0),))),
        ),
        references=("Raducanu and Dornaika 2012",),
        keeps="classes", year=2012,
        max_n=50_000,
    ),
    Method(
        id="mi-isomap", title="MI-Isomap, SE-Isomap of labels found from bags", family="weakly supervised reduction",
        kind="reduction", needs="bag", target="emberscope.mil.imputation.mi_isomap:MIIsomap",
        summary="As MI-LE with SE-Isomap inside: finds out which instances of loose boxes are targets while unrolling "
        "the data, each relabelled by its neighbors in an embedding made without its bag.",
        when="As MI-LE, when target and background lie well apart along the shape of the data: there it finds nearly "
        "all of them.",
        cost=Cost(
            ((1.7e-6, 2.0, 0.0), (1.4e-9, 2.0, 1.0), (2e-3, 1.0, 0.0)), ((18.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(5000, Cost(
                ((1e-7, 2.0, 0.0), (1.4e-9, 2.0, 1.0), (2e-3, 1.0, 0.0)), ((8000.0, 1.0, 0.0), (24.0, 1.0, 1.0))
            )),
        ),
        references=("Geng, Zhan and Zhou 2005", "Ribeiro, Vieira and Carvalho das Neves 2008"),
        keeps="classes", year=2008,
        max_n=50_000,
    ),
    Method(
        id="knn", title="k-NN of instances", family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.knn:KNN",
        summary="An instance is as target-like as its nearest labelled instances say, each of which carries the label "
        "of its bag; a bag is as target-like as its best instance.",
        when="First, as the baseline that other classifiers have to beat. Loose bags make it see targets everywhere.",
        cost=Cost(((3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((24.0, 1.0, 1.0),)),
        references=("Fix and Hodges 1951",),
        keeps="", year=1951, space="instance", out_of_sample="exact",
    ),
    Method(
        id="dd", title="Diverse density", family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.dd:DiverseDensity",
        summary="Looks for one point in feature space that is near some instance of every positive bag and far from "
        "all instances of negative ones, and for the features that count there.",
        when="When all targets look alike and boxes are loose. The concept it finds can be looked at: a place, and a "
        "weight for every feature. Targets of several kinds are too much for it.",
        cost=Cost(((1e-6, 1.0, 1.0), (1.5e-2, 0.0, 0.0)), ((32.0, 1.0, 1.0), (400.0, 1.0, 0.0), (3e7, 0.0, 0.0))),
        references=("Maron and Lozano-Perez 1998",),
        keeps="", year=1998, space="instance", out_of_sample="exact",
    ),
    Method(
        id="em-dd", title="EM-DD, diverse density by expectation-maximization",
        family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.em_dd:EMDD",
        summary="Diverse density with one instance standing for each bag: the one nearest to the concept, chosen anew "
        "as the concept moves.",
        when="As diverse density, with bags so large that the chance of a hit somewhere in the bag says nothing.",
        cost=Cost(((1.5e-6, 1.0, 1.0), (5e-2, 0.0, 0.0)), ((32.0, 1.0, 1.0), (400.0, 1.0, 0.0), (3e7, 0.0, 0.0))),
        references=("Zhang and Goldman 2002",),
        keeps="", year=2002, space="instance", out_of_sample="exact",
    ),
    Method(
        id="mi-svm-instance", title="mi-SVM, support vectors between instances",
        family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.mi_svm_instance:MISVMInstance",
        summary="A support vector machine that relabels the instances of positive bags until labels and machine "
        "agree, with one target at least in every positive bag.",
        when="When positive bags hold many targets each, of any shape in feature space, and every instance is to be "
        "judged, not only the best one.",
        cost=Cost(
            ((2e-7, 2.0, 0.0), (2e-10, 2.0, 1.0)), ((16.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(7000, Cost(((2e-3, 1.0, 0.0), (1e-7, 1.0, 1.0)), ((5000.0, 1.0, 0.0), (24.0, 1.0, 1.0)))),
        ),
        references=("Andrews, Tsochantaridis and Hofmann 2002",),
        keeps="", year=2002, space="instance", out_of_sample="exact",
    ),
    Method(
        id="mi-svm-bag", title="MI-SVM, support vectors between witnesses",
        family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.mi_svm_bag:MISVMBag",
        summary="A support vector machine in which the most target-like instance alone stands for each positive bag, "
        "against all instances of negative ones.",
        when="When boxes are loose and a positive bag may hold a single target: the rest of the bag takes no part.",
        cost=Cost(
            ((1e-7, 2.0, 0.0), (2e-10, 2.0, 1.0)), ((24.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(7000, Cost(((1e-4, 1.0, 0.0), (1e-7, 1.0, 1.0)), ((7500.0, 1.0, 0.0), (24.0, 1.0, 1.0)))),
        ),
        references=("Andrews, Tsochantaridis and Hofmann 2002",),
        keeps="", year=2002, space="instance", out_of_sample="exact",
    ),
    Method(
        id="miles", title="MILES, embedded instance selection", family="multiple-instance classifiers",
        kind="classifier", needs="bag", target="emberscope.mil.classifiers.miles:MILES",
        summary="Describes a bag by how near it comes to each training instance, and keeps the few instances whose "
        "nearness tells positive bags from negative ones.",
        when="When there may be several kinds of targets, or when what lies around a target matters too. The "
        "instances kept can be looked at.",
        cost=Cost(
            ((1e-8, 2.0, 0.0), (1e-10, 2.0, 1.0), (2e-4, 1.0, 0.0)),
            ((16.0, 1.0, 1.0), (2.0, 2.0, 0.0), (3e7, 0.0, 0.0)),
        ),
        references=("Chen, Bi and Wang 2006",),
        keeps="", year=2006, space="embedded", out_of_sample="exact",
    ),
    Method(
        id="dd-svm", title="DD-SVM, distances to several concepts", family="multiple-instance classifiers",
        kind="classifier", needs="bag", target="emberscope.mil.classifiers.dd_svm:DDSVM",
        summary="Describes a bag by its distances to several concepts of diverse density, of targets and of "
        "background, and puts a support vector machine between bags.",
        when="As diverse density, when targets come in several kinds, or some background gives positive bags away.",
        cost=Cost(((2e-6, 1.0, 1.0), (3e-2, 0.0, 0.0)), ((32.0, 1.0, 1.0), (400.0, 1.0, 0.0), (3e7, 0.0, 0.0))),
        references=("Chen and Wang 2004",),
        keeps="", year=2004, space="embedded", out_of_sample="exact",
    ),
    Method(
        id="mil-boost", title="MIL-Boost", family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.mil_boost:MILBoost",
        summary="Adds up simple questions about single features until they explain which bags are positive: a bag is, "
        "unless none of its instances is a target. Says which features count.",
        when="When a few features of many tell targets from background, at scales that cannot be compared.",
        cost=Cost(((6e-7, 1.0, 1.0), (5e-6, 1.0, 0.0)), ((6.0, 1.0, 1.0), (100.0, 1.0, 0.0))),
        references=("Viola, Platt and Zhang 2005",),
        keeps="", year=2005, space="instance", out_of_sample="exact",
    ),
    Method(
        id="mi-forest", title="MIForest", family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.mi_forest:MIForest",
        summary="A random forest whose labels cool down: at first anything in a positive bag may be a target, at last "
        "only what trees agree upon that have not seen the bag. Every positive bag keeps one.",
        when="When targets differ from background in features at scales that cannot be compared, or in several ways.",
        cost=Cost(
            ((8e-5, 1.1, 0.5), (0.3, 0.0, 0.0)), ((12.0, 1.0, 1.0), (4000.0, 1.0, 0.0)),
            beyond=(10_000, Cost(((2.0, 0.0, 0.5), (3e-4, 1.0, 0.0)), ((12.0, 1.0, 1.0), (4e7, 0.0, 0.0)))),
        ),
        references=("Leistner, Saffari and Bischof 2010",),
        keeps="", year=2010, space="instance", out_of_sample="exact",
    ),
    Method(
        id="citation-knn", title="Citation-kNN", family="multiple-instance classifiers", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.citation_knn:CitationKNN",
        summary="A bag is positive if most of the bags nearest to it are, together with those that count it among "
        "their nearest. Compares whole bags, so it needs no idea of which instance is the target.",
        when="When bags are small and a handful of them is all there is; hard to beat there. Try more than one bag "
        "distance: the best depends on how many instances of a positive bag are targets.",
        cost=Cost(((3.5e-9, 2.0, 0.0), (5e-11, 2.0, 1.0)), ((800.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Wang and Zucker 2000",),
        keeps="", year=2000, space="bag", out_of_sample="exact",
    ),
    Method(
        id="mi-kernel", title="MI-Kernel, set kernel", family="multiple-instance classifiers", kind="classifier",
        needs="bag", target="emberscope.mil.classifiers.mi_kernel:MIKernel",
        summary="Two bags are alike as far as their instances are, all pairs of them; a support vector machine draws "
        "the border. Every bag is described as a whole, background included.",
        when="When the background of a positive bag tells something too, or a bag holds many targets. A lone target "
        "in a large bag drowns in its background.",
        cost=Cost(((9e-9, 2.0, 0.0), (3e-11, 2.0, 1.0)), ((200.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Gärtner, Flach, Kowalczyk and Smola 2002",),
        keeps="", year=2002, convex=True, space="bag", out_of_sample="exact",
    ),
    Method(
        id="mi-graph", title="miGraph, graph kernel", family="multiple-instance classifiers", kind="classifier",
        needs="bag", target="emberscope.mil.classifiers.mi_graph:MIGraph",
        summary="Like MI-Kernel, but instances of a bag that are alike share one vote, so that a large crowd of "
        "background does not drown a few targets. This is miGraph, the fast one of the two kernels of its paper.",
        when="When bags hold many instances that are nearly the same, as the patches of a smooth background are.",
        cost=Cost(((1e-8, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((200.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Zhou, Sun and Li 2009",),
        keeps="", year=2009, convex=True, space="bag", out_of_sample="exact",
    ),
    Method(
        id="rank-svm", title="Ranking SVM", family="rankers and detectors", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.rank_svm:RankSVM",
        summary="The straight direction along which positive bags lie above negative ones, pair by pair. Its loadings "
        "say which features count; an instance scores by where it lies.",
        when="When only the order matters: a list of instances, the most target-like first.",
        cost=Cost(((3e-8, 1.0, 1.0), (5e-4, 0.0, 1.0)), ((24.0, 1.0, 1.0), (3e5, 0.0, 0.0))),
        references=("Herbrich, Graepel and Obermayer 1999", "Joachims 2002"),
        keeps="", year=1999, convex=True, linear=True, space="instance", out_of_sample="exact",
    ),
    Method(
        id="mi-rank", title="MI ranking", family="rankers and detectors", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.mi_rank:MIRank",
        summary="As the ranking SVM, but a bag lies where its best instance lies, which is chosen together with the "
        "direction.",
        when="When boxes are loose and a list of instances, the most target-like first, is wanted.",
        cost=Cost(((1.5e-6, 1.0, 1.0), (3e-3, 0.0, 1.0)), ((32.0, 1.0, 1.0), (3e5, 0.0, 0.0))),
        references=("Hu, Li and Yu 2008",),
        keeps="", year=2008, linear=True, space="instance", out_of_sample="exact",
    ),
    Method(
        id="mi-ace", title="MI-ACE, cosine detector", family="rankers and detectors", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.mi_ace:MIACE",
        summary="Learns one target signature from bags: the direction away from the background that some instance of "
        "every positive bag points to. Scores by the angle to it, however faint the target is.",
        when="When all targets look alike up to their contrast, as materials in spectra do, and background is plenty. "
        "Shows what the target looks like.",
        cost=Cost(((3e-10, 2.0, 1.0), (2e-9, 1.0, 2.0), (3e-9, 0.0, 3.0)), ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0))),
        references=("Zare, Jiao and Glenn 2018",),
        keeps="", year=2018, linear=True, out_of_sample="exact", space="instance",
    ),
    Method(
        id="mi-smf", title="MI-SMF, matched filter", family="rankers and detectors", kind="classifier", needs="bag",
        target="emberscope.mil.classifiers.mi_smf:MISMF",
        summary="Learns one target signature from bags, as MI-ACE does, and scores by how strongly an instance shows "
        "it: bright targets count for more.",
        when="When targets look alike and stand out by their strength too; MI-ACE where faint ones matter as much.",
        cost=Cost(((3e-10, 2.0, 1.0), (2e-9, 1.0, 2.0), (3e-9, 0.0, 3.0)), ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0))),
        references=("Zare, Jiao and Glenn 2018",),
        keeps="", year=2018, linear=True, out_of_sample="exact", space="instance",
    ),
    Method(
        id="apr", title="ID-APR, axis-parallel box", family="multiple-instance classifiers", kind="classifier",
        needs="bag", target="emberscope.mil.classifiers.apr:APR",
        summary="Grows the smallest box that holds an instance of every positive bag, keeps the few features that tell "
        "the background from it, and calls what is inside a target. The rule can be read off: feature by feature, "
        "from here to there.",
        when="When single features mean something and the rule must be told to others. Not where targets overlap the "
        "background in every single feature: the box then holds the background.",
        cost=Cost(((5e-10, 2.0, 1.0), (2e-8, 1.0, 1.0)), ((40.0, 1.0, 1.0),)),
        references=("Dietterich, Lathrop and Lozano-Pérez 1997",),
        keeps="", year=1997, space="instance", out_of_sample="exact",
    ),
)

PICTURES = tuple(row for row in METHODS if row.kind != "classifier")
CLASSIFIERS = tuple(row for row in METHODS if row.kind == "classifier")
_BY_ID = {row.id: row for row in METHODS}


def method(id: str) -> Method:
    """The row of a method. Raises ParamError with the known ids."""
    if id not in _BY_ID:
        raise ParamError(f"there is no method {id!r}", hint=f"Known methods: {', '.join(_BY_ID)}.")
    return _BY_ID[id]


def lacks(row: Method, labelled: Collection[str]) -> tuple[str, ...]:
    """What a method needs of TARGET, BACKGROUND and SECOND_CLASS and is not labelled yet."""
    return tuple(kind for kind in NEEDS[row.needs] if kind not in labelled)


def unlocks(labelled: Collection[str], rows: Iterable[Method] = METHODS) -> tuple[tuple[str, ...], int]:
    """The fewest kinds of labels that open methods closed now, and how many methods these open; ((), 0) for none."""
    closed = [lacking for row in rows if (lacking := lacks(row, labelled))]
    opened = {kinds: sum(set(lacking) <= set(kinds) for lacking in closed) for kinds in closed}
    return min(opened.items(), key=lambda item: (len(item[0]), -item[1]), default=((), 0))


def unlock_words(labelled: Collection[str]) -> str:
    """"A background label opens 31 more methods"; "" where none is closed."""
    kinds, count = unlocks(labelled)
    if not kinds:
        return ""
    more = f"{count} more method{'s' * (count != 1)}"
    if kinds == (SECOND_CLASS,):
        return f"Labels of a second class of targets open {more}"
    return f"A {kinds[0]} label opens {more}" if len(kinds) == 1 else f"Labels of {' and '.join(kinds)} open {more}"


def load(id: str) -> Any:
    """The class of a method; this imports it."""
    module, _, name = method(id).target.partition(":")
    return getattr(import_module(module), name)


def estimate(id: str, n: int, d: int) -> tuple[float, float]:
    """About how many seconds a fit on n rows of d features takes, and the bytes of memory beside X."""
    cost = method(id).cost
    while cost.beyond is not None and n > cost.beyond[0]:
        cost = cost.beyond[1]
    return _total(cost.seconds, n, d), _total(cost.bytes, n, d)


def describe() -> list[dict[str, Any]]:
    """All rows as plain data, with the parameters of each method (imports every class; run it in the worker)."""
    return [{**asdict(row), "params": [param.to_dict() for param in load(row.id).params]} for row in METHODS]


def _total(terms: _Terms, n: int, d: int) -> float:
    return sum(coefficient * n**p * d**q for coefficient, p, q in terms)
