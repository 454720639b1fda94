"""Target concepts: several kinds of targets, found from bags; each embeds instances or classifies
bags, or both."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

_FAMILY = "target concepts"
_FINDING = (0.1, 0.0, 0.0), (6e-5, 1.0, 0.0), (5e-6, 1.0, 1.0)
_BYTES = (3e7, 0.0, 0.0), (40.0, 1.0, 1.0)
# The last terms of seconds: rules that choose instances, above 20 features; they learn from 5000 at
# most.
_SEARCH = Cost(
    (*_FINDING, (1e-9, 2.0, 1.0)),
    _BYTES,
    (6250, Cost((*_FINDING, (0.064, 0.0, 1.0), (2.5e-6, 1.0, 1.0)), _BYTES)),
)


def _clustering(id: str, title: str, target: str, summary: str, when: str) -> Method:
    return Method(
        id=id,
        title=title,
        family=_FAMILY,
        kind="reduction",
        needs="bag",
        target=f"emberscope.mil.concepts.clustering:{target}",
        summary=summary,
        when=when,
        cost=_SEARCH,
        references=("Karem 2019",),
        keeps="classes",
        year=2019,
        out_of_sample="exact",
        space="embedded",
    )


def _plain(id: str, title: str, target: str, reference: str, summary: str, when: str) -> Method:
    return Method(
        id=id,
        title=title,
        family=_FAMILY,
        kind="reduction",
        needs="bag",
        target=f"emberscope.mil.concepts.plain.clusters:{target}",
        summary=summary,
        when=when,
        cost=Cost(((0.5, 0.0, 0.0), (1e-4, 1.0, 0.0), (1e-6, 1.0, 1.0)),
                  ((3e7, 0.0, 0.0), (400.0, 1.0, 0.0), (40.0, 1.0, 1.0))),
        references=(reference, "Karem 2019"),
        keeps="classes",
        year=int(reference.split()[-1]),
        out_of_sample="exact",
        space="embedded",
    )


def _embedded(id: str, title: str, target: str, summary: str, when: str) -> Method:
    return Method(
        id=id,
        title=title,
        family=_FAMILY,
        kind="classifier",
        needs="bag",
        target=f"emberscope.mil.concepts.embedded:{target}",
        summary=summary,
        when=when,
        cost=_SEARCH,
        references=("Karem 2019",),
        keeps="",
        year=2019,
        out_of_sample="exact",
        space="embedded",
    )


ROWS = (
    _clustering(
        "fcmi",
        "FCMI, fuzzy clustering of bags",
        "FCMI",
        "Finds the several kinds of targets that together explain which bags are positive, says "
        "how many there are, and shares each bag among them. The map shows how far instances are "
        "from each kind.",
        "When one kind of target is seldom one look: vehicles from several sides, people and cars "
        "under one label. Every concept can be looked at, named, and made a class.",
    ),
    _clustering(
        "ccmi",
        "CCMI, crisp clustering of bags",
        "CCMI",
        "As FCMI, but each positive bag counts for one kind of target alone, the one that explains "
        "it best.",
        "When a bag holds one target, and the kinds of targets lie well apart. FCMI is the safer "
        "choice where they do not.",
    ),
    _clustering(
        "pcmi",
        "PCMI, possibilistic clustering of bags",
        "PCMI",
        "As FCMI, from whose result it starts, but each kind of target takes the bags near it "
        "whatever others take: kinds that were found twice fall together and are merged.",
        "When nobody knows how many kinds of targets there are: ask for more than you expect. Bags "
        "near no kind pull at none.",
    ),
    Method(
        id="bamic",
        title="BAMIC, clustering of whole bags",
        family=_FAMILY,
        kind="reduction",
        needs="bag",
        target="emberscope.mil.concepts.bamic:BAMIC",
        summary="Groups whole bags around typical ones, labels unseen, and describes a bag, or an "
                "instance, by its "
        "distances to these.",
        when="When bags as a whole differ, background included, and to see what kinds of bags "
             "there are. It does not "
        "look for the target inside a bag.",
        cost=Cost(
            ((0.05, 0.0, 0.0), (1.2e-8, 2.0, 0.0), (2e-10, 2.0, 1.0)),
            ((3e7, 0.0, 0.0), (800.0, 1.0, 0.0), (24.0, 1.0, 1.0)),
        ),
        references=("Zhang and Zhou 2009",),
        keeps="classes",
        year=2009,
        convex=False,
        out_of_sample="exact",
        space="embedded",
    ),
    Method(
        id="negative-concepts",
        title="Negative concepts, kinds of background",
        family=_FAMILY,
        kind="reduction",
        needs="bag",
        target="emberscope.mil.concepts.background:NegativeConcepts",
        summary="Clusters the instances of negative bags, and says of each instance how unlike all "
                "background it is.",
        when="To see what kinds of background there are, and as the simple rule that others should "
             "beat: targets are "
        "what is like no background. Strange ground counts as a target too.",
        cost=Cost(((0.1, 0.0, 0.0), (6e-8, 1.0, 1.0)), ((3e7, 0.0, 0.0), (40.0, 1.0, 1.0))),
        references=("Karem 2019",),
        keeps="classes",
        year=2019,
        out_of_sample="exact",
        space="embedded",
    ),
    _plain(
        "fuzzy-c-means",
        "Fuzzy c-means, clusters of instances",
        "FuzzyCMeans",
        "Bezdek 1981",
        "Clusters all instances, labels unseen, each shared among clusters; then says which "
        "clusters positive bags hold and negative ones do not.",
        "As the plain parent of FCMI: what it finds needs no concepts learned from labels. Where "
        "targets are few beside the ground, no cluster is theirs.",
    ),
    _plain(
        "possibilistic-c-means",
        "Possibilistic c-means, clusters that leave strays out",
        "PossibilisticCMeans",
        "Krishnapuram and Keller 1993",
        "As fuzzy c-means, from whose clusters it starts, but an instance near no cluster is of "
        "none, and clusters that fall together are one.",
        "As the plain parent of PCMI, where instances that are like nothing else pull the clusters "
        "of fuzzy c-means.",
    ),
    _embedded(
        "efcmi-svm",
        "EFCMI-SVM, support vectors on distances to concepts",
        "ConceptSVM",
        "Describes a bag by its distances to the concepts of FCMI and to clusters of background, "
        "and puts a support vector machine between bags.",
        "When bags are to be separated as well as possible and targets come in several kinds. The "
        "first one to try of this family.",
    ),
    _embedded(
        "efcmi-ons",
        "EFCMI-ONS, sparse weights on distances to concepts",
        "ConceptWeights",
        "As EFCMI-SVM, with a linear machine that gives most distances no weight: what decides can "
        "be read off.",
        "When it must be explained which concept made a bag positive, at some cost in accuracy.",
    ),
    _embedded(
        "efcmi-cknn",
        "EFCMI-CKNN, citation neighbors in distances to concepts",
        "ConceptKNN",
        "As EFCMI-SVM, with the nearest bags as voters, and those that count a bag among their "
        "nearest.",
        "When bags of one label form several groups, and there are enough of them to vote.",
    ),
)
