"""Rankers and detectors: a score per instance from labels of bags."""

from emberscope.catalogue.cost import Cost
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="rank-svm",
        title="Ranking SVM",
        family="rankers and detectors",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.rank_svm:RankSVM",
        summary="The straight direction along which positive bags lie above negative ones, pair by "
                "pair. Its loadings "
        "say which features count; an instance scores by where it lies.",
        when="When only the order matters: a list of instances, the most target-like first.",
        cost=Cost(((3e-8, 1.0, 1.0), (5e-4, 0.0, 1.0)), ((24.0, 1.0, 1.0), (3e5, 0.0, 0.0))),
        references=("Herbrich, Graepel and Obermayer 1999", "Joachims 2002"),
        keeps="",
        year=1999,
        convex=True,
        linear=True,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="mi-rank",
        title="MI ranking",
        family="rankers and detectors",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_rank:MIRank",
        summary="As the ranking SVM, but a bag lies where its best instance lies, which is chosen "
                "together with the "
        "direction.",
        when="When boxes are loose and a list of instances, the most target-like first, is wanted.",
        cost=Cost(((1.5e-6, 1.0, 1.0), (3e-3, 0.0, 1.0)), ((32.0, 1.0, 1.0), (3e5, 0.0, 0.0))),
        references=("Hu, Li and Yu 2008",),
        keeps="",
        year=2008,
        linear=True,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="mi-ace",
        title="MI-ACE, cosine detector",
        family="rankers and detectors",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.signatures.mi_ace:MIACE",
        summary="Learns one target signature from bags: the direction away from the background "
                "that some instance of "
        "every positive bag points to. Scores by the angle to it, however faint the target is.",
        when="When all targets look alike up to their contrast, as materials in spectra do, and "
             "background is plenty. "
        "Shows what the target looks like.",
        cost=Cost(
            ((3e-10, 2.0, 1.0), (2e-9, 1.0, 2.0), (3e-9, 0.0, 3.0)),
            ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
        ),
        references=("Zare, Jiao and Glenn 2018",),
        keeps="",
        year=2018,
        linear=True,
        out_of_sample="exact",
        space="instance",
    ),
    Method(
        id="mi-smf",
        title="MI-SMF, matched filter",
        family="rankers and detectors",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.signatures.mi_smf:MISMF",
        summary="Learns one target signature from bags, as MI-ACE does, and scores by how strongly "
                "an instance shows "
        "it: bright targets count for more.",
        when="When targets look alike and stand out by their strength too; MI-ACE where faint ones "
             "matter as much.",
        cost=Cost(
            ((3e-10, 2.0, 1.0), (2e-9, 1.0, 2.0), (3e-9, 0.0, 3.0)),
            ((24.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
        ),
        references=("Zare, Jiao and Glenn 2018",),
        keeps="",
        year=2018,
        linear=True,
        out_of_sample="exact",
        space="instance",
    ),
    Method(
        id="multi-mi-ace",
        title="Multi-target MI-ACE",
        family="rankers and detectors",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.signatures.multi_target:MultiTargetMIACE",
        summary="Learns several target signatures from bags, each of which explains some of the "
                "positive ones, and scores by the best of them: as MI-ACE or as MI-SMF for targets "
                "of several kinds.",
        when="When targets are of two or three kinds that look nothing alike, and background is "
             "plenty. Shows what each kind looks like, and in how many bags it is.",
        cost=Cost(
            ((5e-6, 1.0, 1.0), (2e-9, 1.0, 2.0), (3e-9, 0.0, 3.0)),
            ((32.0, 1.0, 1.0), (40.0, 0.0, 2.0)),
        ),
        references=("Bocinsky 2019",),
        keeps="",
        year=2019,
        out_of_sample="exact",
        space="instance",
    ),
    Method(
        id="efumi",
        title="eFUMI, functions of multiple instances",
        family="rankers and detectors",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.signatures.efumi:EFUMI",
        summary="Takes every instance for a mixture of a few kinds of ground and, in positive bags "
                "alone, of a target, and learns what each of them looks like pure, from bags.",
        when="When a target fills a pixel or a patch only in part, so that no instance shows it "
             "alone: what it looks like is then learned from mixtures.",
        cost=Cost(
            ((1e-4, 1.0, 0.5), (4e-6, 1.0, 1.0), (2e-9, 1.0, 2.0), (3e-9, 0.0, 3.0)),
            ((48.0, 1.0, 1.0), (40.0, 0.0, 2.0), (200.0, 1.0, 0.0)),
        ),
        references=("Jiao and Zare 2015",),
        keeps="",
        year=2015,
        out_of_sample="exact",
        space="instance",
    ),
    Method(
        id="mi-he",
        title="MI-HE, hybrid estimator",
        family="rankers and detectors",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.signatures.mi_he:MIHE",
        summary="Learns targets and kinds of ground so that in every positive bag some instance is "
                "explained far better with a target than without, and no negative one is. Scores "
                "by that share.",
        when="As eFUMI, where telling bags apart matters more than what is in a mixture, and for "
             "targets of several kinds.",
        cost=Cost(
            ((2e-4, 1.0, 0.5), (8e-6, 1.0, 1.0), (2e-9, 1.0, 2.0), (3e-9, 0.0, 3.0)),
            ((64.0, 1.0, 1.0), (40.0, 0.0, 2.0), (400.0, 1.0, 0.0)),
        ),
        references=("Jiao, Chen, McGarvey, Bohlman, Jiao and Zare 2018",),
        keeps="",
        year=2018,
        out_of_sample="exact",
        space="instance",
    ),
)
