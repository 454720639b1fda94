"""Latent variable models: how a few hidden variables made the data."""

from emberscope.catalogue.cost import Cost, with_search
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="mofa",
        title="Mixture of factor analyzers",
        family="latent variable",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.latent.mofa:MixtureOfFactorAnalyzers",
        summary="Explains the instances by several flat local models and takes the noise off them "
                "before it looks "
        "along the main directions. Tells how likely every instance is: the unlikely ones stand "
        "out.",
        when="When the data fall into several flat clouds and you want to know which one an "
             "instance belongs to, "
        "and how unlikely it is.",
        cost=Cost(
            ((2e-3, 1.0, 0.0), (4e-6, 1.0, 1.0)),
            ((3000.0, 1.0, 0.0), (8.0, 1.0, 1.0), (2000.0, 0.0, 1.0)),
        ),
        references=("Ghahramani and Hinton 1996", "Tipping and Bishop 1999"),
        keeps="global",
        year=1996,
        out_of_sample="exact",
    ),
    Method(
        id="gtm",
        title="GTM, generative topographic mapping",
        family="latent variable",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.latent.gtm:GTM",
        summary="Bends a sheet through the instances and says for each how probable every place on "
                "the sheet is. "
        "A point of the map gives features back, so empty places can be looked at.",
        when="When each place shall come with its uncertainty, and when places between instances "
             "shall be looked "
        "at.",
        cost=Cost(((4e-4, 1.0, 0.0), (2e-6, 1.0, 1.0)), ((6000.0, 1.0, 0.0), (16_000.0, 0.0, 1.0))),
        references=("Bishop, Svensen and Williams 1998",),
        keeps="both",
        year=1998,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="charting",
        title="Manifold charting",
        family="latent variable",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.latent.charting:Charting",
        summary="Covers the data with overlapping flat charts and joins them into one map, with "
                "axes in units of the "
        "features. Says for every instance how far its charts disagree, and gives features for any "
        "point.",
        when="For a curved sheet with noise, when axes shall have units, and doubtful places shall "
             "say so.",
        cost=with_search(((2e-3, 1.0, 0.0), (4e-6, 1.0, 1.0)), ((4000.0, 1.0, 0.0),)),
        references=("Brand 2003",),
        keeps="global",
        year=2003,
        out_of_sample="exact",
        inverse=True,
    ),
)
