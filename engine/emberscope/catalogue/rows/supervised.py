"""Supervised embeddings: methods that read instance labels."""

from emberscope.catalogue.cost import Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="s-le",
        title="S-LE, supervised Laplacian eigenmaps",
        family="supervised",
        kind="embedding",
        needs="instance",
        target="emberscope.embedding.supervised.s_le:SLE",
        summary="Pulls instances with the same label together and pushes different labels apart, "
                "along the shape of "
        "the data. The training embedding always looks separated: judge it on instances it has not "
        "seen.",
        when="When labels are mostly right and you want the classes apart on the map: to look for "
             "instances that "
        "lie with the wrong class, which may be labeled wrongly. The suggestion of the Run panel "
        "as soon as target and background are labeled.",
        cost=Cost(
            ((1.4e-7, 2.0, 0.0), (1e-11, 2.0, 1.0)),
            ((40.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
            beyond=(3000, with_search(((2e-5, 1.0, 0.0), (2e-9, 2.0, 0.0)), ((2500.0, 1.0, 0.0),))),
        ),
        references=("Raducanu and Dornaika 2012",),
        keeps="classes",
        year=2012,
        convex=True,
        max_n=200_000,
        measured="lengths",
    ),
    Method(
        id="se-isomap",
        title="SE-Isomap, supervised Isomap",
        family="supervised",
        kind="embedding",
        needs="instance",
        target="emberscope.embedding.supervised.se_isomap:SEIsomap",
        summary="Unrolls the data along a graph in which instances of one label are near each "
                "other and different "
        "labels far apart. The training embedding always looks separated: judge it on instances it "
        "has not seen.",
        when="As S-LE, when the shape inside each class shall be seen at its true length as well, "
             "not only that the "
        "classes are apart.",
        cost=Cost(
            ((1.3e-7, 2.0, 0.0), (4e-11, 2.0, 1.0)),
            ((18.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                5000,
                Cost(
                    ((3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0), (5e-5, 1.0, 0.0)),
                    ((8000.0, 1.0, 0.0), (24.0, 1.0, 1.0)),
                ),
            ),
        ),
        references=("Geng, Zhan and Zhou 2005", "Ribeiro, Vieira and Carvalho das Neves 2008"),
        keeps="classes",
        year=2005,
        convex=True,
        max_n=100_000,
        measured="lengths",
    ),
    Method(
        id="smds",
        title="SMDS, supervised metric scaling",
        family="supervised",
        kind="embedding",
        needs="instance",
        target="emberscope.embedding.supervised.smds:SMDS",
        summary="Distances as true as the labels allow, with the target class to the upper right. "
                "One slider goes from "
        "plain scaling to classes only. Training instances always look separated: judge it on "
        "others.",
        when="For up to 3000 instances, when the classes shall lie in order along every axis while "
             "distances still "
        "count.",
        cost=Cost(((7e-7, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((12.0, 2.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Witten and Tibshirani 2011",),
        keeps="classes",
        year=2011,
        max_n=3000,
        measured="lengths",
    ),
    Method(
        id="supervised-pca",
        title="Supervised PCA, Bayesian factor regression",
        family="supervised",
        kind="embedding",
        needs="instance",
        target="emberscope.embedding.supervised.supervised_pca:SupervisedPCA",
        summary="A few causes behind both the features and the label, as a probability model: the "
                "embedding, and how "
        "much every instance supports each class. Unlabeled instances help.",
        when="When labels are few or weak and PCA alone misses them: the axes explain features and "
             "labels "
        "together.",
        cost=Cost(
            ((1.3e-5, 1.0, 0.0), (5.5e-7, 1.0, 1.0), (1e-9, 0.0, 3.0)),
            ((200.0, 1.0, 0.0), (24.0, 0.0, 2.0)),
        ),
        references=("Murphy 2012", "Jaakkola and Jordan 2000"),
        keeps="classes",
        year=2012,
        linear=True,
        out_of_sample="exact",
    ),
)
