"""Multidimensional scaling: embeddings that keep distances, all of them or the small ones first."""

from emberscope.catalogue.cost import Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="mds",
        title="MDS, classical scaling",
        family="distance",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.distance.mds:MDS",
        summary="Fits all distances between instances at once, near and far alike. With Euclidean "
                "distances it gives "
        "the embedding of PCA; cosine or cityblock distances, or a table of any others, give one "
        "of their own.",
        when="When all large distances count and instances are few. Of plain features it gives the "
             "embedding of PCA.",
        cost=Cost(((6e-8, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((9.0, 2.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Torgerson 1952", "Gower 1966", "Cailliez 1983"),
        keeps="global",
        year=1952,
        convex=True,
        out_of_sample="exact",
        max_n=10_000,
        measured="lengths",
    ),
    Method(
        id="landmark-mds",
        title="Landmark MDS",
        family="distance",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.distance.landmark_mds:LandmarkMDS",
        summary="Classical scaling for many instances: a few hundred are scaled with all their "
                "distances, the others "
        "are placed by their distances to these. Nearly the same embedding, in seconds.",
        when="As scaling of all distances, for very many instances: the distances to a few "
             "landmarks place all the "
        "others.",
        cost=Cost(((1e-5, 1.0, 0.0), (1e-8, 1.0, 1.0)), ((5000.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("de Silva and Tenenbaum 2004",),
        keeps="global",
        year=2004,
        convex=True,
        out_of_sample="exact",
        max_n=1_000_000,
        measured="lengths",
    ),
    Method(
        id="smacof",
        title="SMACOF, metric scaling",
        family="distance",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.distance.smacof:Smacof",
        summary="Draws all distances as true to length as an embedding can, by small steps from "
                "PCA. Shows the large "
        "shape honestly; neighbors count no more than anything else.",
        when="When the embedding shall keep distances as they are, neither near nor far ones "
             "first. The stress in "
        "the notes says how badly that had to fail.",
        cost=Cost(
            ((1e-7, 2.0, 0.0), (4e-11, 2.0, 1.0), (1e-4, 1.0, 0.0)),
            ((10.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                4000,
                with_search(((1.2e-4, 1.0, 0.0), (2.5e-7, 1.0, 1.0)), ((7e7, 0.0, 0.0),)),
            ),
        ),
        references=("De Leeuw 1977", "De Silva and Tenenbaum 2004"),
        keeps="global",
        year=1977,
        max_n=1_000_000,
        measured="lengths",
    ),
    Method(
        id="sammon",
        title="Sammon mapping",
        family="distance",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.distance.sammon:Sammon",
        summary="Keeps all distances, short ones most: between PCA, which keeps the long ones, and "
                "methods that keep "
        "neighbors only. Among many features all distances are alike, and it is much like SMACOF.",
        when="When small distances matter more than large ones but clusters shall not be torn "
             "apart as layouts do.",
        cost=Cost(
            ((1.5e-7, 2.0, 0.0), (4e-11, 2.0, 1.0), (1e-4, 1.0, 0.0)),
            ((10.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                4000,
                with_search(((1.5e-4, 1.0, 0.0), (2.5e-7, 1.0, 1.0)), ((7e7, 0.0, 0.0),)),
            ),
        ),
        references=("Sammon 1969",),
        keeps="both",
        year=1969,
        max_n=1_000_000,
        measured="lengths",
    ),
)
