"""Embeddings led by what an analyst knows beside labels."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="hybrid", title="Hybrid embedding", family="side information", kind="embedding", needs="none",
        target="emberscope.embedding.side.hybrid:Hybrid",
        summary="Keeps far distances by one measure and neighbors by another, in one map. The measure may compare "
        "chips and forgive changes that do not matter: a shift, a turn, a gain. One number leads from clusters to "
        "sequences.",
        when="When the same target at another place of the chip, or another angle, should count as the same. Take "
        "pixels as features, and mark the changes that do not matter.",
        cost=Cost(((2e-7, 2.0, 0.0), (1.5e-9, 2.0, 1.0)), ((20.0, 2.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Ghodsi 2005",),
        keeps="both", year=2005, convex=True,
        max_n=5000,
    ),
)
