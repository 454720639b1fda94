"""Local and graph spectral methods: eigenvectors of a neighborhood graph."""

from emberscope.catalogue.cost import ALL_PAIRS, Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="lle",
        title="LLE, locally linear embedding",
        family="local and graph spectral",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.spectral.lle:LLE",
        summary="Rebuilds every instance from its neighbors, in the features and in the embedding "
                "with the same "
        "weights. Unrolls smooth sheets; noise and gaps make it collapse into spikes.",
        when="For one sheet without clusters. Modified LLE is the safer of the two.",
        cost=Cost(
            ((1e-4, 1.0, 0.0), (4e-12, 3.0, 0.0), (3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0)),
            ((6000.0, 1.0, 0.0), (3.0, 2.0, 0.0)),
            beyond=(15_000, with_search(((4e-4, 1.0, 0.0),), ((8000.0, 1.0, 0.0),))),
            where=ALL_PAIRS,
        ),
        references=("Roweis and Saul 2000",),
        keeps="local",
        year=2000,
        convex=True,
        max_n=200_000,
        measured="neighbors",
    ),
    Method(
        id="mlle",
        title="Modified LLE",
        family="local and graph spectral",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.spectral.mlle:MLLE",
        summary="LLE with several sets of weights per neighborhood: the same idea, several times "
                "steadier. "
        "Prefer it to LLE for a smooth sheet such as pose or range.",
        when="For one sheet without clusters; several sets of weights per instance keep it from "
             "collapsing where "
        "LLE does.",
        cost=with_search(((1.2e-4, 1.0, 0.0), (4e-9, 2.0, 0.0)), ((6000.0, 1.0, 0.0),)),
        references=("Zhang and Wang 2006",),
        keeps="local",
        year=2006,
        convex=True,
        max_n=200_000,
        measured="neighbors",
    ),
    Method(
        id="hessian-lle",
        title="Hessian LLE",
        family="local and graph spectral",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.spectral.hessian_lle:HessianLLE",
        summary="Looks for coordinates that do not bend along the sheet. The most exact map of "
                "anything that can be "
        "laid flat, even with holes; wants little noise and many neighbors.",
        when="For a sheet with holes, where Isomap's detours distort. It needs more neighbors than "
             "the square of "
        "the dimensions.",
        cost=with_search(((1.2e-4, 1.0, 0.0), (4e-9, 2.0, 0.0)), ((6000.0, 1.0, 0.0),)),
        references=("Donoho and Grimes 2003",),
        keeps="local",
        year=2003,
        convex=True,
        max_n=200_000,
        measured="neighbors",
    ),
    Method(
        id="ltsa",
        title="LTSA, local tangent space alignment",
        family="local and graph spectral",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.spectral.ltsa:LTSA",
        summary="Fits a plane to every neighborhood and lays all planes side by side. Unrolls "
                "smooth sheets with true "
        "proportions; short cuts between folds fold the embedding.",
        when="For one sheet, evenly sampled: local planes are laid side by side. Sensitive to "
             "noise off the sheet.",
        cost=with_search(((1.2e-4, 1.0, 0.0), (4e-9, 2.0, 0.0)), ((6000.0, 1.0, 0.0),)),
        references=("Zhang and Zha 2004",),
        keeps="local",
        year=2004,
        convex=True,
        max_n=200_000,
        measured="neighbors",
    ),
    Method(
        id="laplacian-eigenmaps",
        title="Laplacian eigenmaps",
        family="local and graph spectral",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.spectral.laplacian_eigenmaps:LaplacianEigenmaps",
        summary="Keeps neighbors near and lets the rest fall where it may. Shows clusters and "
                "gradual changes; "
        "distances between far parts mean little.",
        when="For clusters and slow changes along a sequence, such as a vehicle that turns. Where "
             "some instances "
        "are far from all others, the first axes show only these: ignore them and run again.",
        cost=with_search(((4e-5, 1.0, 0.0),), ((4000.0, 1.0, 0.0),), ALL_PAIRS),
        references=("Belkin and Niyogi 2003",),
        keeps="local",
        year=2003,
        convex=True,
        max_n=500_000,
        measured="lengths",
    ),
    Method(
        id="diffusion-maps",
        title="Diffusion maps",
        family="local and graph spectral",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.spectral.diffusion_maps:DiffusionMaps",
        summary="Two instances are near when a random walk over neighbors easily gets from one to "
                "the other. Steady "
        "against noise and short cuts; shows slow changes, whatever the sampling density.",
        when="As Laplacian eigenmaps, when instances are sampled unevenly, or a few false edges "
             "must not matter: "
        "it averages over all paths.",
        cost=with_search(((8e-5, 1.0, 0.0),), ((12_000.0, 1.0, 0.0),), ALL_PAIRS),
        references=("Coifman and Lafon 2006",),
        keeps="both",
        year=2006,
        convex=True,
        max_n=500_000,
        measured="lengths",
    ),
)
