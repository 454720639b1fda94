"""Maximum variance unfolding."""

from emberscope.catalogue.cost import with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="mvu",
        title="MVU, maximum variance unfolding",
        family="unfolding",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.unfolding.mvu:MVU",
        summary="Pulls the data apart as far as it goes while neighbors keep their distance, and "
                "says how many "
        "dimensions that takes. True to lengths; one short circuit between far parts holds "
        "everything back.",
        when="For a few thousand instances on a curved sheet when you want to know how many "
             "dimensions it has: the "
        "spectrum says so.",
        cost=with_search(
            ((7e-4, 1.0, 0.0), (2.5e-8, 2.0, 0.0)), ((4500.0, 1.0, 0.0), (16.0, 1.0, 1.0))
        ),
        references=(
            "Weinberger and Saul 2004",
            "Burer and Monteiro 2005",
            "Weinberger, Sha, Zhu and Saul 2007",
        ),
        keeps="both",
        year=2004,
        convex=True,
        max_n=200_000,
        measured="lengths",
    ),
)
