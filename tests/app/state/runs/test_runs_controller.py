"""Runs without a widget: why not, what it takes, start, warm start, the result, staleness, trials
of recipes."""

from dataclasses import replace

import msgspec
import pytest

from emberscope.bags.sizes import FittingSizes, JudgedSide
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.param import N_COMPONENTS
from emberscope.course.estimate import Estimate
from emberscope.labels.model import Box
from emberscope.project import Project, PutLabels, Recipe, from_snapshot
from emberscope.tasks.methods import DescribeMethods, Methods
from emberscope.tasks.recipes import SuggestedRecipe, SuggestRecipe
from emberscope.tasks.runs import EstimateRun, MakeRun
from emberscope_app.state.runs.runs_controller import NO_LABELS

D = replace(N_COMPONENTS, name="n_components", type="int")
METHODS = Methods(dict.fromkeys(("pca", "mi-umap", "s-le", "mida"), (D,)))
COST = Estimate(
    instances=288, bags=18, new_instances=0, features=324, stages={"method": 5.8}, bytes=1
)
BOX = Box(id=999, source=10, frame=1, x0=0, y0=0, x1=40, y1=40)


@pytest.fixture
def runs(session, worker, qtbot):
    """With the parameters and the estimate."""
    worker.answers.update({DescribeMethods: lambda _: METHODS, EstimateRun: lambda _: COST})
    session.runs.prepare()
    qtbot.waitUntil(lambda: bool(session.runs.facts))
    return session.runs


def asked(worker, kind):
    return worker.asked(kind)


def finish(session, worker, qtbot):
    """The run that was started comes; returns it."""
    job = asked(worker, MakeRun)[-1]
    request = job.request
    run = msgspec.structs.replace(
        session.project.runs[11], id=request.run_id, recipe=request.recipe
    )
    worker.finish(job.job, run)
    qtbot.waitUntil(lambda: run.id in session.project.runs)
    return run


def test_nothing_is_asked_of_the_worker_before_it_is_wanted(session, worker):
    session.do(PutLabels(title="Add box", after=[BOX]))
    assert worker.submitted == []


# --- before a run


def test_the_worker_says_what_a_run_would_take_and_see(runs):
    assert runs.estimate == "about 6 s on this computer  ·  18 bags"
    assert runs.facts == "288 instances in 18 bags, 324 features"
    assert runs.extent == (288, 324)


def test_an_edit_takes_the_estimate_back_until_it_is_asked_again(runs, qtbot):
    runs.draft.choose("pca")
    assert runs.estimate == ""
    qtbot.waitUntil(lambda: bool(runs.estimate))


def test_only_the_answer_to_the_last_question_counts(runs, worker, qtbot):
    worker.answers.pop(EstimateRun)
    runs.ask()
    runs.ask()
    first, last = asked(worker, EstimateRun)[-2:]
    worker.finish(first.job, replace(COST, bags=99))
    worker.finish(last.job, replace(COST, bags=7))
    qtbot.waitUntil(lambda: "7 bags" in runs.estimate)


def test_what_the_worker_refuses_cannot_run_until_it_is_edited(runs, worker, qtbot):
    worker.answers.pop(EstimateRun)
    runs.ask()
    worker.fail(asked(worker, EstimateRun)[-1].job, "too many instances. Choose PCA.")
    qtbot.waitUntil(lambda: runs.estimate == "Too many instances. Choose PCA.")
    assert runs.why_not() == "Too many instances. Choose PCA."
    runs.draft.choose("pca")
    assert runs.why_not() == ""


def test_without_labels_nothing_runs(runs, session, worker):
    session.do(PutLabels(title="Delete all", before=list(session.project.labels)))
    assert runs.why_not() == NO_LABELS
    received = []
    session.message.connect(received.append)
    runs.start()
    assert [message.words for message in received] == [NO_LABELS]
    assert not asked(worker, MakeRun)


# --- a run


def test_a_run_is_asked_for_with_labels_and_recipe(runs, worker):
    runs.draft.choose("mida")  # starts in three dimensions
    runs.start()
    (job,) = asked(worker, MakeRun)
    assert (runs.job.title, job.request.run_id) == ("Run 12", 12)
    assert job.request.recipe.params == {"n_components": 3} == runs.draft.recipe.params
    assert len(from_snapshot(job.request.snapshot).labels) == 19


def test_a_run_asked_for_before_the_parameters_came_starts_when_they_are_there(
    session, worker, qtbot
):
    session.runs.prepare()
    session.runs.draft.choose("mida")  # starts in three dimensions
    session.runs.start()
    assert not asked(worker, MakeRun)
    assert session.runs.estimate == "Starts when the methods are loaded"
    worker.finish(asked(worker, DescribeMethods)[0].job, METHODS)
    qtbot.waitUntil(lambda: bool(asked(worker, MakeRun)))
    assert asked(worker, MakeRun)[0].request.recipe.params == {"n_components": 3}
    assert "methods are loaded" not in session.runs.estimate


def test_a_run_that_waits_does_not_start_in_another_project(session, worker, qtbot):
    session.runs.start()
    session.replace(Project(), None)
    worker.finish(asked(worker, DescribeMethods)[0].job, METHODS)
    qtbot.waitUntil(lambda: session.runs.draft.ready)
    assert not asked(worker, MakeRun)


def test_a_worker_that_died_over_the_parameters_is_asked_again(session, worker, qtbot):
    session.runs.prepare()
    worker.fail(asked(worker, DescribeMethods)[0].job, "The worker ended by itself.")
    qtbot.waitUntil(lambda: session.runs.estimate == "The worker ended by itself.")
    session.runs.start()
    assert len(asked(worker, DescribeMethods)) == 2


def test_the_run_and_the_pages_of_methods_ask_for_the_parameters_once(session, worker, qtbot):
    assert session.runs.methods.of("pca") is None
    session.runs.prepare()
    worker.finish(asked(worker, DescribeMethods)[0].job, METHODS)
    qtbot.waitUntil(lambda: session.runs.draft.ready)
    assert session.runs.methods.of("pca") == session.runs.draft.params["pca"]
    assert len(asked(worker, DescribeMethods)) == 1


def test_parameters_that_were_there_before_the_run_dock_are_taken(session, worker, qtbot):
    session.runs.methods.ask()
    worker.finish(asked(worker, DescribeMethods)[0].job, METHODS)
    qtbot.waitUntil(lambda: bool(session.runs.methods.params))
    session.runs.prepare()
    assert session.runs.draft.ready


def test_one_run_at_a_time(runs, worker):
    runs.start()
    assert runs.why_not() == "Run 12 is running."
    runs.start()
    assert len(asked(worker, MakeRun)) == 1


def test_a_finished_run_and_its_recipe_are_one_step(runs, session, worker, qtbot):
    runs.draft.choose("pca")
    runs.start()
    finish(session, worker, qtbot)
    assert session.run.id == 12
    assert session.project.recipe.method == "pca"
    assert session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert sorted(session.project.runs) == [11]
    assert "recipe" not in session.project.settings


def test_cancel_leaves_everything_as_it_was(runs, session, worker, qtbot):
    runs.start()
    runs.cancel()
    qtbot.waitUntil(lambda: not runs.job.active)
    assert worker.canceled == [runs.job.id]
    assert sorted(session.project.runs) == [11]
    assert runs.why_not() == ""


def test_a_classifier_that_could_not_judge_says_why(runs, session, worker, qtbot):
    note = "No classification of bags: all are on frames near each other."
    received = []
    session.message.connect(received.append)
    runs.start()
    worker.finish(
        runs.job.id, msgspec.structs.replace(session.project.runs[11], id=12, notes=[note])
    )
    qtbot.waitUntil(lambda: 12 in session.project.runs)
    assert [message.words for message in received] == [note]


# --- labels that changed since


def test_a_run_is_stale_after_a_relabel_and_not_after_its_undo(runs, session):
    session.do(PutLabels(title="Add box", after=[BOX]))
    runs.ask()
    assert runs.stale is session.run
    session.undo_stack.undo()
    runs.ask()
    assert runs.stale is None


def test_a_new_run_of_the_labels_as_they_are_is_not_stale(runs, session, worker, qtbot):
    session.do(PutLabels(title="Add box", after=[BOX]))
    runs.start()
    finish(session, worker, qtbot)
    assert runs.stale is None


def test_only_a_relabel_lets_the_next_run_start_from_the_embedding_on_show(
    runs, session, worker, qtbot
):
    runs.start()
    run = finish(session, worker, qtbot)
    runs.start()
    # Nothing changed: the same embedding, from the start
    assert asked(worker, MakeRun)[-1].request.previous is None
    runs.cancel()
    qtbot.waitUntil(lambda: not runs.job.active)
    session.selection.select(run.ids[:3])
    session.mark_selection(2)
    runs.start()
    assert asked(worker, MakeRun)[-1].request.previous.id == 12


# --- a trial of recipes


def test_the_best_recipe_of_a_trial_becomes_the_draft_with_its_reasons(runs, worker, qtbot):
    runs.suggestions.try_recipes()
    assert not runs.suggestions.may_try
    found = Recipe(method="mida", reduce=7)
    worker.finish(asked(worker, SuggestRecipe)[-1].job, SuggestedRecipe(found, ["A.", "B."]))
    qtbot.waitUntil(lambda: runs.suggestions.reasons == "A.  B.")
    assert runs.draft.recipe == found
    assert runs.suggestions.may_try


def test_sizes_that_a_trial_judged_stay_while_more_is_labeled(runs, session, worker, qtbot):
    (class_id,) = {
        label.class_id
        for label in session.project.labels
        if session.project.role(label.class_id) > 0
    }
    judged = FittingSizes(20, 12, (), "Because.", (JudgedSide(class_id, 20, 0.97, 48, 0.9),))
    runs.suggestions.try_recipes()
    answer = SuggestedRecipe(Recipe(method="mida"), ["A."], sizes=judged)
    worker.finish(asked(worker, SuggestRecipe)[-1].job, answer)
    qtbot.waitUntil(
        lambda: runs.suggestions.sizes is not None and runs.suggestions.sizes.patch == 20
    )
    session.do(PutLabels(title="Delete a label", before=list(session.project.labels)[:1]))
    runs.ask()
    assert runs.suggestions.sizes.patch == 20
    assert "20 px 0.97, 48 px 0.90" in runs.suggestions.sizes.why


def test_a_trial_can_be_canceled(runs, worker):
    runs.suggestions.try_recipes()
    runs.cancel()
    assert worker.canceled == [runs.suggestions.trial.id]


def test_without_labels_of_background_there_is_nothing_to_try(runs, session):
    session.do(
        PutLabels(
            title="Delete",
            before=[label for label in session.project.labels if label.class_id == 2],
        )
    )
    assert not runs.suggestions.may_try


@pytest.mark.parametrize(("in_sight", "dimensions"), [({2}, 2), ({2, 3}, 2), (set(), 2), ({3}, 3)])
def test_a_suggestion_has_a_third_axis_for_who_looks_at_the_3d_map_alone(
    runs, worker, qtbot, in_sight, dimensions
):
    for shown in in_sight:
        runs._session.focus.see_map(shown, there=True)
    runs.suggestions.try_recipes()
    answer = SuggestedRecipe(Recipe(method="mida"), ["Because."])
    worker.finish(asked(worker, SuggestRecipe)[-1].job, answer)
    qtbot.waitUntil(lambda: runs.draft.method == "mida")
    assert runs.draft.recipe.params.get("n_components", 2) == dimensions


def test_a_suggestion_keeps_the_split_that_was_chosen(runs, worker, qtbot):
    by_clip = SplitRecipe(kind="clip")
    runs.draft.show(Recipe(split=by_clip))
    runs.suggestions.try_recipes()
    worker.finish(
        asked(worker, SuggestRecipe)[-1].job, SuggestedRecipe(Recipe(method="mida"), ["Because."])
    )
    qtbot.waitUntil(lambda: runs.draft.method == "mida")
    assert runs.draft.recipe.split == by_clip


def test_a_remark_on_the_data_is_no_advice_and_a_warning_is(runs, worker, qtbot):
    remark = (
        "Locally the data have about 17 dimensions (15 to 19): an embedding in 2 or 3 must "
        "fold some of them."
    )
    warning = "k = 15 makes 3 edges that seem to jump between folds; try k = 8."
    worker.answers[EstimateRun] = lambda _: replace(COST, advice=(remark, warning))
    runs.ask()
    qtbot.waitUntil(lambda: bool(runs.advice))
    assert runs.advice == [warning]
