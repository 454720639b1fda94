"""Target concepts: several places in feature space that together explain which bags are positive.

Modules, in the order of the method: `model` (a concept, its probabilities), `cover`
(boxes of `mil.boxes` as starts, and how many are more than chance),
`greedy_cover` (round starts over all features, and their gain curve), `starts` (other starts),
`memberships` (which
concept a bag belongs to), `descent` (one concept moved), `alternation` (both in turn), `pruning`
(duplicates and weak ones), `clustering` (CCMI, FCMI and PCMI on these), `background` (clusters of
negative instances), `bag_features` and `embedded` (classifiers of bags on their distances to
concepts), `bamic` (medoids of whole bags), `reading` (what a person asks of concepts), `projection`
(concepts on a map), `profile` (the features that weigh in a concept). `crowds` chooses the
instances that take part.
"""
