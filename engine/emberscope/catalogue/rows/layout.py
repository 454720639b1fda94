"""Layouts that keep neighbors: t-SNE, SNE, UMAP, LargeVis and PaCMAP."""

from emberscope.catalogue.cost import Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="tsne",
        title="t-SNE",
        family="layouts",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.layout.tsne:TSNE",
        summary="Draws every instance beside its neighbors; clusters stand out clearly. Sizes of "
                "clusters and "
        "distances between them mean nothing.",
        when="To find groups of like instances and mark them with a few lassos. Run it again with "
             "another seed "
        "before you believe a shape.",
        cost=with_search(((3e-4, 1.0, 0.0),), ((2000.0, 1.0, 0.0),)),
        references=(
            "van der Maaten and Hinton 2008",
            "Linderman et al. 2019",
            "Belkina et al. 2019",
        ),
        keeps="local",
        year=2008,
        max_n=1_000_000,
        measured="lengths",
        laid_out=True,
    ),
    Method(
        id="sne",
        title="SNE, stochastic neighbor embedding",
        family="layouts",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.layout.sne:SNE",
        summary="Keeps for every instance who its neighbors are, with Gaussian neighborhoods on "
                "both sides. The parent of t-SNE: groups are pressed together in the middle.",
        when="Beside t-SNE, to see what its heavy tails do: what comes apart here too is far apart "
             "in the features. For a few thousand instances at most.",
        cost=Cost(((1.2e-5, 2.0, 0.0),), ((30.0, 2.0, 0.0), (4000.0, 1.0, 0.0))),
        references=("Hinton and Roweis 2002", "Cook, Sutskever, Mnih and Hinton 2007"),
        keeps="local",
        year=2002,
        max_n=3000,
        measured="lengths",
        laid_out=True,
    ),
    Method(
        id="umap",
        title="UMAP",
        family="layouts",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.layout.umap:UMAP",
        summary="Draws every instance beside its neighbors, fast, and keeps rings and strands "
                "whole. Labels can lead "
        "it; after a relabel the embedding goes on. Distances between far clusters mean little.",
        when="The quick way to an embedding of neighbors, also of hundreds of thousands of "
             "instances, and one that "
        "goes on from the last embedding after a relabel. Sizes and gaps mean little.",
        cost=with_search(((5e-5, 1.0, 0.0),), ((1500.0, 1.0, 0.0),)),
        references=("McInnes, Healy and Melville 2018",),
        keeps="local",
        year=2018,
        max_n=2_000_000,
        measured="lengths",
        laid_out=True,
    ),
    Method(
        id="largevis",
        title="LargeVis",
        family="layouts",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.layout.largevis:LargeVis",
        summary="Likely neighbors together as in t-SNE, everything else strongly apart: clusters "
                "with wide gaps. "
        "Near neighbors are kept very well; distances between clusters mean little.",
        when="As UMAP, with stronger separation: clusters are rounder and farther apart.",
        cost=with_search(((1.2e-4, 1.0, 0.0),), ((4500.0, 1.0, 0.0),)),
        references=("Tang, Liu, Zhang and Mei 2016",),
        keeps="local",
        year=2016,
        max_n=1_000_000,
        measured="lengths",
        laid_out=True,
    ),
    Method(
        id="pacmap",
        title="PaCMAP",
        family="layouts",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.layout.pacmap:PaCMAP",
        summary="Neighbors together, random pairs apart, and pairs in between held first, so that "
                "the large shape of "
        "the data survives better than in other layouts. Fast.",
        when="As UMAP, when the large arrangement of the clusters shall count as well.",
        cost=with_search(((1.2e-4, 1.0, 0.0), (3e-8, 1.0, 1.0)), ((3500.0, 1.0, 0.0),)),
        references=("Wang, Huang, Rudin and Shaposhnik 2021",),
        keeps="both",
        year=2021,
        max_n=1_000_000,
        measured="lengths",
        laid_out=True,
    ),
)
