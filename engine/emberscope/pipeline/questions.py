"""What the questions "same or different?" about a run are drawn from; and which to ask next,
without a window."""

from pathlib import Path

import numpy as np

from emberscope.bags.pairs import bag_pairs
from emberscope.base.errors import MissingLabels
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.inputs import inputs_of
from emberscope.course.side import witness_confidence
from emberscope.metric.learned import MOST_COMPONENTS
from emberscope.metric.pairs import Deck, Pairs
from emberscope.metric.questions import Question, Standing, questions, standing
from emberscope.metric.scores import principal_scores
from emberscope.pipeline.conversion import features_of_run
from emberscope.project.model.project import Project, Run
from emberscope.project.model.skipped_questions import skipped_pairs


def deck_of(
    project: Project, run: Run, *, cache: str | Path | None = None, monitor: Monitor | None = None
) -> Deck:
    """The instances of a run with the features that its metric learns from, and the pairs of its
    bag labels.

    Features that are not kept any more are computed again. Raises ProjectError and FormatError
    where a source is gone, DataError where all instances are the same, MissingLabels for fewer than
    two, Cancelled. O(N D²).
    """
    if len(run.ids) < 2:
        raise MissingLabels(
            "there is one instance: nothing to compare", hint="Label more, and run again."
        )
    watch = monitored(monitor)
    folder = Path(cache) if cache is not None else cache_folder()
    X = features_of_run(project, run, folder, Portion(watch, 0.0, 0.8))
    watch.step(0.8, "Principal components")
    made, recipe = inputs_of(project, run, folder).made, run.recipe
    scores = principal_scores(
        X, max(min(MOST_COMPONENTS, len(X) // 4), 1), monitor=Portion(watch, 0.8, 0.9)
    )
    watch.step(0.9, "Likely targets")
    certain = np.where(made.certain, made.y, 0)
    likely = np.where(certain, certain > 0, witness_confidence(X, made.bags, seed=recipe.seed))
    weak = Pairs(np.empty((0, 2), np.int64), np.empty(0, bool), np.empty(0))
    if recipe.bag_pairs and {-1, 1} <= set(made.bags.labels.tolist()):
        found = bag_pairs(made.bags, len(X), y=certain, confidence=likely, seed=recipe.seed)
        weak = Pairs(found.pairs, found.same, found.pair_weight).take(found.pair_weight > 0)
    own = recipe.metric_params if recipe.metric == "equivalence-metric" else {}
    return Deck(
        run.ids,
        scores.T.astype(np.float32),
        weak,
        likely.astype(float),
        softness=own.get("softness") or 0.3,
        push=own.get("push", 1.0),
        known=certain.astype(np.int8),
    )


def next_questions(
    project: Project,
    run: Run,
    *,
    attribute: str = "",
    count: int = 10,
    cache: str | Path | None = None,
    monitor: Monitor | None = None,
) -> tuple[list[Question], Standing]:
    """The next best questions of a project and what its answers are worth: see `metric.questions`.
    Raises as `deck_of`.
    """
    deck = deck_of(project, run, cache=cache, monitor=monitor)
    records, skipped = list(project.side.values()), skipped_pairs(project, attribute)
    found = questions(
        deck, records, attribute=attribute, skipped=skipped, count=count, seed=run.recipe.seed
    )
    return found, standing(deck, records, attribute=attribute)
