"""Principal manifolds: curves, sheets, nets and networks laid through the data."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="som",
        title="SOM, self-organizing map",
        family="principal manifolds",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.principal.som:SOM",
        summary="Lays a lattice of prototypes into the data, neighbors on the lattice alike. "
                "Ridges between prototypes "
        "show clusters; an instance far from its prototype is unlike all others.",
        when="For an overview of very many instances by a few hundred prototypes, in an order that "
             "can be printed.",
        cost=Cost(((3e-7, 1.5, 0.0), (6e-9, 1.5, 1.0)), ((400.0, 1.0, 0.0), (16.0, 1.0, 1.0))),
        references=("Kohonen 1990",),
        keeps="local",
        year=1990,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="gng",
        title="Growing neural gas",
        family="principal manifolds",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.principal.gng:GrowingNeuralGas",
        summary="Grows a graph of prototypes into the data, dense where the data are, and draws "
                "the graph. Its work "
        "does not grow with the number of instances: a quick look at very many.",
        when="For a first look at very many instances, and to see whether they fall into parts or "
             "close to rings.",
        cost=Cost(((1e-5, 1.0, 0.0), (8e-7, 1.0, 1.0)), ((200.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Fritzke 1995",),
        keeps="global",
        year=1995,
    ),
    Method(
        id="elastic-map",
        title="Elastic map",
        family="principal manifolds",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.principal.elastic_map:ElasticMap",
        summary="Lays a sheet of springs through the middle of the data and flattens it: between "
                "PCA and a map of "
        "every detail, as stiff as you like. Any point of the map gives features back.",
        when="When PCA is nearly right but the data are bent, and when empty places of the map "
             "shall be looked at. "
        "Raise the bending stiffness until the sheet is as smooth as the data deserve.",
        cost=Cost(
            ((1.5e-6, 1.5, 0.0), (3e-8, 1.5, 1.0)),
            ((400.0, 1.0, 0.0), (32.0, 1.0, 1.0), (2e7, 0.0, 0.0)),
        ),
        references=("Gorban and Zinovyev 2008",),
        keeps="both",
        year=2008,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="principal-curve",
        title="Principal curve",
        family="principal manifolds",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.principal.principal_curve:PrincipalCurve",
        summary="One smooth line through the middle of the data: the first axis is the way along "
                "it, for instance "
        "range or aspect, the second how far an instance lies beside it.",
        when="When one thing changes: range along a run, aspect along a circle. Instances far from "
             "the line in the "
        "second axis do not belong to it.",
        cost=Cost(((1e-4, 1.0, 0.0), (1e-6, 1.0, 1.0)), ((400.0, 1.0, 0.0), (32.0, 1.0, 1.0))),
        references=("Hastie and Stuetzle 1989",),
        keeps="global",
        year=1989,
        out_of_sample="exact",
        inverse=True,
    ),
    Method(
        id="autoencoder",
        title="Autoencoder",
        family="principal manifolds",
        kind="embedding",
        needs="none",
        target="emberscope.embedding.principal.autoencoder:Autoencoder",
        summary="A network squeezes the features through a few numbers and gives them back. Bends "
                "where PCA is "
        "straight, maps new instances at once, and tells which instances it cannot explain.",
        when="When new instances come all the time, and to find instances that it cannot give "
             "back. It wants "
        "thousands of instances.",
        cost=Cost(((1.2e-3, 1.0, 0.0), (2e-8, 1.0, 1.0)), ((2000.0, 1.0, 0.0), (16.0, 1.0, 1.0))),
        references=("Kramer 1991", "Hinton and Salakhutdinov 2006"),
        keeps="global",
        year=1991,
        out_of_sample="exact",
        inverse=True,
    ),
)
