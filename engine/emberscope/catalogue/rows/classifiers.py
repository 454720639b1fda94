"""Classifiers of bags and their instances."""

from emberscope.catalogue.cost import Cost, Members
from emberscope.catalogue.row import Method

ROWS = (
    Method(
        id="knn",
        title="k-NN of instances",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.knn:KNN",
        summary="An instance is as target-like as its nearest labeled instances say, each of which "
                "carries the label "
        "of its bag; a bag is as target-like as its best instance.",
        when="First, as the baseline that other classifiers have to beat. Loose bags make it see "
             "targets everywhere.",
        cost=Cost(((3e-9, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((24.0, 1.0, 1.0),)),
        references=("Fix and Hodges 1951",),
        keeps="",
        year=1951,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="svm-linear",
        title="Linear SVM",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.heads.svm:LinearSVM",
        summary="A support vector machine with a straight border between instances, or between the "
                "means of bags, each of which carries the label of its bag.",
        when="To judge a latent space: where a straight border is enough, the space has pulled the "
             "labels apart. It is also the one to take with few bags and many features.",
        cost=Cost(((4e-8, 2.0, 0.0), (2e-9, 2.0, 1.0)), ((16.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
                  (7000, Cost(((6e-8, 1.0, 2.0), (2.0, 0.0, 0.0)), ((32.0, 1.0, 1.0),)))),
        references=("Cortes and Vapnik 1995",),
        keeps="",
        year=1995,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="svm-rbf",
        title="RBF SVM",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.heads.svm:RbfSVM",
        summary="A support vector machine with a border that may curve, between instances, or "
                "between the means of bags, each of which carries the label of its bag.",
        when="To judge a latent space in which targets are islands. Let penalty and width be "
             "chosen inside the folds.",
        cost=Cost(((4e-8, 2.0, 0.0), (2e-9, 2.0, 1.0)), ((16.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
                  (7000, Cost(((4e-4, 1.0, 0.0), (2.0, 0.0, 0.0)), ((8000.0, 1.0, 0.0),)))),
        references=("Cortes and Vapnik 1995",),
        keeps="",
        year=1995,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="network",
        title="Network, feed-forward",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.heads.network:FeedForward",
        summary="A network with one hidden layer that reads instances, or the means of bags, each "
                "of which carries the label of its bag.",
        when="To judge a latent space beside k-NN and support vector machines, as the literature "
             "does. With few bags it varies more than these from one seed to the next.",
        cost=Cost(((2e-5, 1.0, 0.5), (0.1, 0.0, 0.0)), ((1000.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Rumelhart, Hinton and Williams 1986",),
        keeps="",
        year=1986,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="random-forest",
        title="Random forest",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.heads.forest:RandomForest",
        summary="Trees that vote on instances, or on the means of bags, each of which carries the "
                "label of its bag; every tree has seen other bags.",
        when="Where many features say nothing: a tree asks only those that tell something. It "
             "needs no scaling and hardly any choice of values.",
        cost=Cost(((8e-6, 1.1, 0.5), (0.1, 0.0, 0.0)), ((12.0, 1.0, 1.0), (3000.0, 1.0, 0.0)),
                  (10_000, Cost(((0.25, 0.0, 0.5), (3e-5, 1.0, 0.0)),
                                ((12.0, 1.0, 1.0), (4e7, 0.0, 0.0))))),
        references=("Breiman 2001",),
        keeps="",
        year=2001,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="prototype-knn",
        title="k-NN of prototypes",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.heads.of_prototypes:PrototypeKNN",
        summary="One instance stands for each positive bag, as M-MIDA picks it, and the mean for "
                "each negative one; the nearest of them vote, on one class or on several.",
        when="With targets of several classes, where each bag shows one of them: it names the "
             "class of a bag at once. Quick, and easy to look at: each prototype is a chip.",
        cost=Cost(((2e-8, 2.0, 0.0), (2e-9, 1.0, 2.0), (0.01, 0.0, 0.0)),
                  ((24.0, 1.0, 1.0), (40_000.0, 1.0, 0.0)),
                  (5000, Cost(((1e-4, 1.0, 0.0), (2e-9, 1.0, 2.0), (0.5, 0.0, 0.0)),
                              ((24.0, 1.0, 1.0), (4e7, 0.0, 0.0))))),
        references=("Chai, Ding, Chen and Li 2014",),
        keeps="",
        year=2014,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="prototype-svm",
        title="SVM of prototypes",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.heads.of_prototypes:PrototypeSVM",
        summary="Support vector machines between the prototypes of bags, as M-MIDA picks them, one "
                "class against each other.",
        when="As k-NN of prototypes, with a border in place of votes: better with many bags of "
             "each class, and where classes overlap.",
        cost=Cost(((2e-8, 2.0, 0.0), (2e-9, 1.0, 2.0), (0.02, 0.0, 0.0)),
                  ((24.0, 1.0, 1.0), (40_000.0, 1.0, 0.0)),
                  (5000, Cost(((1e-4, 1.0, 0.0), (2e-9, 1.0, 2.0), (0.5, 0.0, 0.0)),
                              ((24.0, 1.0, 1.0), (4e7, 0.0, 0.0))))),
        references=("Chai, Ding, Chen and Li 2014",),
        keeps="",
        year=2014,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="dd",
        title="Diverse density",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.dd:DiverseDensity",
        summary="Looks for one point in feature space that is near some instance of every positive "
                "bag and far from "
        "all instances of negative ones, and for the features that count there.",
        when="When all targets look alike and boxes are loose. The concept it finds can be looked "
             "at: a place, and a "
        "weight for every feature. Targets of several kinds are too much for it.",
        cost=Cost(
            ((1e-6, 1.0, 1.0), (1.5e-2, 0.0, 0.0)),
            ((32.0, 1.0, 1.0), (400.0, 1.0, 0.0), (3e7, 0.0, 0.0)),
        ),
        references=("Maron and Lozano-Perez 1998",),
        keeps="",
        year=1998,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="em-dd",
        title="EM-DD, diverse density by expectation-maximization",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.em_dd:EMDD",
        summary="Diverse density with one instance standing for each bag: the one nearest to the "
                "concept, chosen anew "
        "as the concept moves.",
        when="As diverse density, with bags so large that the chance of a hit somewhere in the bag "
             "says nothing.",
        cost=Cost(
            ((1.5e-6, 1.0, 1.0), (5e-2, 0.0, 0.0)),
            ((32.0, 1.0, 1.0), (400.0, 1.0, 0.0), (3e7, 0.0, 0.0)),
        ),
        references=("Zhang and Goldman 2002",),
        keeps="",
        year=2002,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="mi-svm-instance",
        title="mi-SVM, support vectors between instances",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_svm_instance:MISVMInstance",
        summary="A support vector machine that relabels the instances of positive bags until "
                "labels and machine "
        "agree, with one target at least in every positive bag.",
        when="When positive bags hold many targets each, of any shape in feature space, and every "
             "instance is to be "
        "judged, not only the best one.",
        cost=Cost(
            ((2e-7, 2.0, 0.0), (2e-10, 2.0, 1.0)),
            ((16.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                7000,
                Cost(((2e-3, 1.0, 0.0), (1e-7, 1.0, 1.0)), ((5000.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
            ),
        ),
        references=("Andrews, Tsochantaridis and Hofmann 2002",),
        keeps="",
        year=2002,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="mi-svm-bag",
        title="MI-SVM, support vectors between witnesses",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_svm_bag:MISVMBag",
        summary="A support vector machine in which the most target-like instance alone stands for "
                "each positive bag, "
        "against all instances of negative ones.",
        when="When boxes are loose and a positive bag may hold a single target: the rest of the "
             "bag takes no part.",
        cost=Cost(
            ((1e-7, 2.0, 0.0), (2e-10, 2.0, 1.0)),
            ((24.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                7000,
                Cost(((1e-4, 1.0, 0.0), (1e-7, 1.0, 1.0)), ((7500.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
            ),
        ),
        references=("Andrews, Tsochantaridis and Hofmann 2002",),
        keeps="",
        year=2002,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="miss-svm",
        title="MissSVM, unlabeled instances",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.miss_svm:MissSVM",
        summary="A support vector machine to which instances of positive bags are unlabeled, one "
                "witness each excepted: its border keeps out of the crowd of them.",
        when="When targets and background lie apart, so that the border belongs where few "
             "instances are, whatever their bags say.",
        cost=Cost(
            ((4e-7, 2.0, 0.0), (2e-10, 2.0, 1.0)),
            ((24.0, 2.0, 0.0), (24.0, 1.0, 1.0)),
            beyond=(
                7000,
                Cost(((2e-3, 1.0, 0.0), (1e-7, 1.0, 1.0)), ((5000.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
            ),
        ),
        references=("Zhou and Xu 2007",),
        keeps="",
        year=2007,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="miles",
        title="MILES, embedded instance selection",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.miles:MILES",
        summary="Describes a bag by how near it comes to each training instance, and keeps the few "
                "instances whose "
        "nearness tells positive bags from negative ones.",
        when="When there may be several kinds of targets, or when what lies around a target "
             "matters too. The "
        "instances kept can be looked at.",
        cost=Cost(
            ((1e-8, 2.0, 0.0), (1e-10, 2.0, 1.0), (2e-4, 1.0, 0.0)),
            ((16.0, 1.0, 1.0), (2.0, 2.0, 0.0), (3e7, 0.0, 0.0)),
        ),
        references=("Chen, Bi and Wang 2006",),
        keeps="",
        year=2006,
        space="embedded",
        out_of_sample="exact",
    ),
    Method(
        id="dd-svm",
        title="DD-SVM, distances to several concepts",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.dd_svm:DDSVM",
        summary="Describes a bag by its distances to several concepts of diverse density, of "
                "targets and of "
        "background, and puts a support vector machine between bags.",
        when="As diverse density, when targets come in several kinds, or some background gives "
             "positive bags away.",
        cost=Cost(
            ((2e-6, 1.0, 1.0), (3e-2, 0.0, 0.0)),
            ((32.0, 1.0, 1.0), (400.0, 1.0, 0.0), (3e7, 0.0, 0.0)),
        ),
        references=("Chen and Wang 2004",),
        keeps="",
        year=2004,
        space="embedded",
        out_of_sample="exact",
    ),
    Method(
        id="mil-boost",
        title="MIL-Boost",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mil_boost:MILBoost",
        summary="Adds up simple questions about single features until they explain which bags are "
                "positive: a bag is, "
        "unless none of its instances is a target. Says which features count.",
        when="When a few features of many tell targets from background, at scales that cannot be "
             "compared.",
        cost=Cost(((6e-7, 1.0, 1.0), (5e-6, 1.0, 0.0)), ((6.0, 1.0, 1.0), (100.0, 1.0, 0.0))),
        references=("Viola, Platt and Zhang 2005",),
        keeps="",
        year=2005,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="mi-forest",
        title="MIForest",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_forest:MIForest",
        summary="A random forest whose labels cool down: at first anything in a positive bag may "
                "be a target, at last "
        "only what trees agree upon that have not seen the bag. Every positive bag keeps one.",
        when="When targets differ from background in features at scales that cannot be compared, "
             "or in several ways.",
        cost=Cost(
            ((8e-5, 1.1, 0.5), (0.3, 0.0, 0.0)),
            ((12.0, 1.0, 1.0), (4000.0, 1.0, 0.0)),
            beyond=(
                10_000,
                Cost(((2.0, 0.0, 0.5), (3e-4, 1.0, 0.0)), ((12.0, 1.0, 1.0), (4e7, 0.0, 0.0))),
            ),
        ),
        references=("Leistner, Saffari and Bischof 2010",),
        keeps="",
        year=2010,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="attention-mil",
        title="Attention MIL",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.attention_mil:AttentionMIL",
        summary="A small network that learns which members of a bag to attend to and what they "
                "say of it. Several are trained, each stopped by bags that it did not learn from.",
        when="When there are a hundred bags or more, and targets differ from background in no "
             "single feature but in how features go together.",
        cost=Cost(((1.2e-5, 1.0, 1.0), (8e-3, 1.0, 0.0)), ((20.0, 1.0, 1.0), (4000.0, 1.0, 0.0))),
        references=("Ilse, Tomczak and Welling 2018",),
        keeps="",
        year=2018,
        space="embedded",
        out_of_sample="exact",
    ),
    Method(
        id="citation-knn",
        title="Citation-kNN",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.citation_knn:CitationKNN",
        summary="A bag is positive if most of the bags nearest to it are, together with those that "
                "count it among "
        "their nearest. Compares whole bags, so it needs no idea of which instance is the target.",
        when="When bags are small and a handful of them is all there is; hard to beat there. Try "
             "more than one bag "
        "distance: the best depends on how many instances of a positive bag are targets.",
        cost=Cost(((3.5e-9, 2.0, 0.0), (5e-11, 2.0, 1.0)), ((800.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Wang and Zucker 2000",),
        keeps="",
        year=2000,
        space="bag",
        out_of_sample="exact",
    ),
    Method(
        id="bayesian-citation-knn",
        title="Bayesian citation, k-NN with counts",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.citation_variants:BayesianCitationKNN",
        summary="Learns from the training bags what votes of references and citers are worth: how "
                "often a positive and a negative bag have so many positive neighbors.",
        when="As citation-kNN, where positive bags lie scattered among negative ones, so that one "
             "positive neighbor of several says much. It needs some 50 bags to count.",
        cost=Cost(((3.5e-9, 2.0, 0.0), (5e-11, 2.0, 1.0)), ((800.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Wang and Zucker 2000",),
        keeps="",
        year=2000,
        space="bag",
        out_of_sample="exact",
    ),
    Method(
        id="fuzzy-citation-knn",
        title="Fuzzy citation-kNN",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.citation_variants:FuzzyCitationKNN",
        summary="Citation-kNN in which near bags have more of a vote than far ones, and bags that "
                "lie among bags of the other label have less to say.",
        when="As citation-kNN, where some labels of bags are wrong, or a finer order of bags is "
             "wanted than whole votes give.",
        cost=Cost(((3.5e-9, 2.0, 0.0), (5e-11, 2.0, 1.0)), ((800.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Ghosh and Bandyopadhyay 2015",),
        keeps="",
        year=2015,
        space="bag",
        out_of_sample="exact",
    ),
    Method(
        id="mi-kernel",
        title="MI-Kernel, set kernel",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_kernel:MIKernel",
        summary="Two bags are alike as far as their instances are, all pairs of them; a support "
                "vector machine draws "
        "the border. Every bag is described as a whole, background included.",
        when="When the background of a positive bag tells something too, or a bag holds many "
             "targets. A lone target "
        "in a large bag drowns in its background.",
        cost=Cost(((9e-9, 2.0, 0.0), (3e-11, 2.0, 1.0)), ((200.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Gärtner, Flach, Kowalczyk and Smola 2002",),
        keeps="",
        year=2002,
        convex=True,
        space="bag",
        out_of_sample="exact",
    ),
    Method(
        id="mi-graph",
        title="miGraph, graph kernel",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_graph:MIGraph",
        summary="Like MI-Kernel, but instances of a bag that are alike share one vote, so that a "
                "large crowd of "
        "background does not drown a few targets. This is miGraph, the fast one of the two kernels "
        "of its paper.",
        when="When bags hold many instances that are nearly the same, as the patches of a smooth "
             "background are.",
        cost=Cost(((1e-8, 2.0, 0.0), (4e-11, 2.0, 1.0)), ((200.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Zhou, Sun and Li 2009",),
        keeps="",
        year=2009,
        convex=True,
        space="bag",
        out_of_sample="exact",
    ),
    Method(
        id="mi-graph-edit",
        title="MIGraph, graphs edge by edge",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_graph_edit:MIGraphEdit",
        summary="Makes a graph of each bag, near instances joined, and compares graphs node by "
                "node and edge by edge, or by what it takes to change one into the other.",
        when="When bags are small, some dozens of instances at most, and how their instances lie "
             "to each other tells more than what they are. Else miGraph, which takes any bag.",
        cost=Cost(((4e-7, 2.0, 0.0), (5e-10, 2.0, 1.0)), ((800.0, 1.0, 0.0), (24.0, 1.0, 1.0))),
        references=("Zhou, Sun and Li 2009", "Riesen and Bunke 2009"),
        keeps="",
        year=2009,
        space="bag",
        out_of_sample="exact",
    ),
    Method(
        id="apr",
        title="ID-APR, axis-parallel box",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.apr:APR",
        summary="Grows the smallest box that holds an instance of every positive bag, keeps the "
                "few features that tell "
        "the background from it, and calls what is inside a target. The rule can be read off: "
        "feature by feature, from here to there.",
        when="When single features mean something and the rule must be explained. Not where "
             "targets overlap the "
        "background in every single feature: no box tells the bags apart then, and all scores are "
        "0, with a note.",
        cost=Cost(((5e-10, 2.0, 1.0), (2e-8, 1.0, 1.0)), ((40.0, 1.0, 1.0),)),
        references=("Dietterich, Lathrop and Lozano-Pérez 1997",),
        keeps="",
        year=1997,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="apr-standard",
        title="Standard APR, box around all of positive bags",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.rectangles.walls:StandardAPR",
        summary="Calls a target whatever lies in the box around all instances of positive bags, of "
                "which those walls stay that keep background out.",
        when="As the baseline that a method for loose bags has to beat: it takes every instance of "
             "a positive bag for a target. Useful itself where bags are tight.",
        cost=Cost(((0.01, 0.0, 0.0), (1e-7, 1.0, 1.0)), ((40.0, 1.0, 1.0),)),
        references=("Dietterich, Lathrop and Lozano-Pérez 1997", "Karem 2019"),
        keeps="",
        year=1997,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="apr-outside-in",
        title="Outside-in APR, box made smaller",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.rectangles.walls:OutsideInAPR",
        summary="Begins with the box around all instances of positive bags, and moves its walls in "
                "until no background is left, past as few of these instances as possible and never "
                "past the last one of a bag.",
        when="When single features mean something, the rule must be explained, and background "
             "lies around the targets rather than among them. Where features may say nothing, "
             "take ID-APR.",
        cost=Cost(((2e-8, 2.0, 0.0), (2e-7, 1.0, 1.0)), ((80.0, 1.0, 1.0),)),
        references=("Dietterich, Lathrop and Lozano-Pérez 1997", "Karem 2019"),
        keeps="",
        year=1997,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="mi-regression",
        title="MI regression",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.mi_regression:MIRegression",
        summary="Predicts a number of each bag from its best instance, or from their mean, by a "
                "straight direction. Where bags have labels only, it predicts these.",
        when="When what is known of a bag is a number, how hot or how far, rather than yes or no: "
             "bag_y of a point set. Judged by R² and RMSE.",
        cost=Cost(((2e-6, 1.0, 1.0), (3e-3, 0.0, 1.0)), ((32.0, 1.0, 1.0), (3e5, 0.0, 0.0))),
        references=("Ray and Page 2001",),
        keeps="",
        year=2001,
        linear=True,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="bagging",
        title="Bagging, of a classifier",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.course.bagging:Bagging",
        summary="Fits any of the other classifiers to several draws of the bags and takes the mean "
                "of their scores: chance of one fit counts less.",
        when="When a classifier changes much where a few bags are others: diverse density, APR, "
             "MI-SVM. One that is steady already, as MIForest is, gains nothing.",
        # beside the fits of the members
        cost=Cost(((1e-4, 1.0, 0.0),), ((8000.0, 1.0, 0.0), (240.0, 1.0, 1.0))),
        members=Members("base", "n_members", "citation-knn", 10),
        references=("Zhou and Zhang 2003",),
        keeps="",
        year=2003,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="two-confidences",
        title="Two confidences, fused",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.course.two_confidences:TwoConfidences",
        summary="Fits two classifiers, each perhaps to features of its own, and multiplies their "
                "confidences: what both are sure of is a target.",
        when="When one thing is seen in two ways, as edges along and across a track, or by two "
             "classifiers that err on different background.",
        cost=Cost(((1.0, 0.0, 0.0), (3e-4, 1.0, 0.0), (4e-7, 1.5, 1.0), (2e-6, 1.0, 1.0)),
                  ((96.0, 1.0, 1.0), (400.0, 1.0, 0.0))),
        references=("Karem 2019",),
        keeps="",
        year=2019,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="possibilistic-knn",
        title="Possibilistic k-NN, of prototypes",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.confidences.possibilistic_knn:PossibilisticKNN",
        summary="Sums up all instances by prototypes, each with its share of positive bags; an "
                "instance scores as the nearest ones do, the less the farther it is from them.",
        when="When instances are many and few features matter: new ones are judged at once, by "
             "prototypes that can be looked at. What is like nothing seen is no target.",
        cost=Cost(((0.2, 0.0, 0.0), (5e-5, 1.0, 0.0), (1e-7, 1.5, 1.0)),
                  ((24.0, 1.0, 1.0), (400.0, 1.0, 0.0))),
        references=("Frigui and Gader 2009", "Karem 2019"),
        keeps="",
        year=2009,
        space="instance",
        out_of_sample="exact",
    ),
    Method(
        id="one-norm-svm",
        title="One-norm machine, a sparse sum of features",
        family="multiple-instance classifiers",
        kind="classifier",
        needs="bag",
        target="emberscope.mil.classifiers.confidences.one_norm:OneNormSVM",
        summary="A weighted sum of few features that tells the best instance of each positive bag "
                "from all background, and gives most features no weight.",
        when="When many features say nothing, one straight cut is enough, and new instances must "
             "be judged at once. What it goes by can be read off.",
        cost=Cost(((0.05, 0.0, 0.0), (2e-5, 1.0, 0.0), (5e-7, 1.0, 1.0)), ((48.0, 1.0, 1.0),)),
        references=("Karem 2019",),
        keeps="",
        year=2019,
        space="instance",
        out_of_sample="exact",
    ),
)
