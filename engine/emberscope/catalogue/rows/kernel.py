"""Kernel PCA and Isomap: principal components of kernels, and of distances along the data."""

from emberscope.catalogue.cost import Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="kpca",
        title="Kernel PCA",
        family="kernel and geodesic",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.kernel.kpca:KernelPCA",
        summary="Principal components of likenesses instead of features: straight axes in a space "
                "that the kernel "
        "bends. Sees clusters and curved trends; the width of the kernel decides what counts as "
        "alike.",
        when="When PCA is too straight and a graph too fickle: a smooth bend with few parameters. "
             "The width of the "
        "kernel decides; try half and double.",
        cost=Cost(
            ((6e-8, 2.0, 0.0), (4e-11, 2.0, 1.0)),
            ((9.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                10_000,
                Cost(((6e-5, 1.0, 0.0), (8e-8, 1.0, 1.0)), ((20_000.0, 0.0, 1.0), (8.0, 1.0, 1.0))),
            ),
        ),
        references=("Schölkopf, Smola and Müller 1998", "Williams and Seeger 2001"),
        keeps="global",
        year=1998,
        convex=True,
        out_of_sample="exact",
        inverse=True,
        max_n=1_000_000,
    ),
    Method(
        id="isomap",
        title="Isomap",
        family="kernel and geodesic",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.kernel.isomap:Isomap",
        summary="Unrolls a curved sheet: distances are measured along the data, not through the "
                "air. "
        "Good for pose and range; holes and noise bridges distort it.",
        when="For data that lie on a curved sheet with few parameters, such as aspect and range. "
             "Not for data that "
        "fall into separate clusters.",
        cost=Cost(
            ((9e-8, 2.0, 0.0), (5e-5, 1.0, 0.0)),
            ((9.0, 2.0, 0.0), (16.0, 1.0, 1.0)),
            beyond=(5000, with_search(((1.0e-4, 1.0, 0.0),), ((4500.0, 1.0, 0.0),))),
        ),
        references=("Tenenbaum, de Silva and Langford 2000", "de Silva and Tenenbaum 2004"),
        keeps="global",
        year=2000,
        convex=True,
        out_of_sample="exact",
        max_n=1_000_000,
        measured="lengths",
    ),
    Method(
        id="landmark-isomap",
        title="Landmark Isomap",
        family="kernel and geodesic",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.kernel.landmark_isomap:LandmarkIsomap",
        summary="Isomap for many instances: a few hundred of them measure the distances along the "
                "data, all others are "
        "placed by their distances to these. Nearly the same embedding in a fraction of the time.",
        when="Isomap for more than a few thousand instances: a hundred times faster and nearly the "
             "same embedding.",
        cost=with_search(((1.0e-4, 1.0, 0.0),), ((4500.0, 1.0, 0.0),)),
        references=("de Silva and Tenenbaum 2004",),
        keeps="global",
        year=2004,
        convex=True,
        out_of_sample="exact",
        max_n=1_000_000,
        measured="lengths",
    ),
)
