"""The Run dock: a form from specs, one undo step per run, honest about what is missing or wrong."""

from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from emberscope.bags.sizes import FittingSizes, fitting_sizes
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, Param
from emberscope.catalogue import EMBEDDERS as METHODS
from emberscope.catalogue.usual import usual_recipe
from emberscope.course.estimate import Estimate
from emberscope.labels import model
from emberscope.labels.model import Box
from emberscope.project import BagRecipe, Project, PutLabels, PutRuns, Recipe, from_snapshot, mark
from emberscope.project.model.made_by import Replayed
from emberscope.tasks.methods import DescribeMethods, Methods
from emberscope.tasks.recipes import SuggestedRecipe, SuggestRecipe
from emberscope.tasks.runs import EstimateRun, MakeRun
from emberscope_app.docks.run.fields import ParamForm
from emberscope_app.docks.run.finished_runs import key_parameter
from emberscope_app.docks.run.panel import RunPanel
from emberscope_app.state.core.log_book import log_book
from emberscope_app.state.runs.measuring import measure_job, start_measuring
from emberscope_app.state.runs.runs_controller import NO_LABELS
from emberscope_app.theme.look import look

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key
D = replace(N_COMPONENTS, name="n_components", type="int")
GAMMA = Param("gamma", "float", 0.1, low=0, high=1, title="Push", help="Weight of pushing.")
MODE = Param("mode", "str", None, choices=("adaptive", "knn"), auto="by size", title="Neighborhood")
BETA = Param(
    "beta", "float", None, low=0, open_low=True, auto="total variance", title="Width", advanced=True
)
K = replace(N_NEIGHBORS, name="n_neighbors", type="int", default=30, when=("mode", "knn"))
SLE = (D, GAMMA, MODE, K, BETA)
OTHERS = ("pca", "lda", "laplacian-eigenmaps", "isomap", "mida", "mi-umap", "tsne")
DESCRIBED = Methods({"s-le": SLE, **dict.fromkeys(OTHERS, (D,))})
COST = Estimate(
    instances=288, bags=18, new_instances=0, features=324, stages={"method": 5.8}, bytes=1
)


@pytest.fixture
def panel(session, worker, qtbot):
    """The panel with its parameters and its estimate."""
    worker.answers.update({DescribeMethods: lambda _: DESCRIBED, EstimateRun: lambda _: COST})
    found = RunPanel(session)
    qtbot.addWidget(found)
    found.resize(300, 900)
    found.show()
    found.methods.chosen.emit("s-le")
    qtbot.waitUntil(lambda: "gamma" in found.form.rows)
    qtbot.waitUntil(lambda: "about" in found.estimate.text())
    return found


@pytest.fixture
def form(qtbot):
    found = ParamForm()
    usual = {p.name: p.default for p in SLE}
    found.show_params(SLE, usual, usual)
    qtbot.addWidget(found)
    found.resize(300, 300)
    found.show()
    return found


def write(row, words):
    row.field.selectAll()
    QTest.keyClicks(row.field, words)


def asked(worker, kind):
    return worker.asked(kind)


# --- the form


def test_a_form_gives_back_what_it_was_given(form):
    assert form.values() == {"n_components": 2, "gamma": 0.1, "mode": None, "beta": None}
    assert form.changed_values() == {}


def test_a_typed_value_is_a_change_with_a_dot_that_takes_it_back(form):
    row = form.rows["gamma"]
    write(row, "0.5")
    assert form.changed_values() == {"gamma": 0.5}
    QTest.mouseClick(row.dot, LEFT)
    assert form.values()["gamma"] == 0.1
    assert not row.dot.isEnabled()


def test_a_wrong_value_is_outlined_and_says_what_to_give(form):
    row = form.rows["gamma"]
    write(row, "7")
    assert row.wrong.isVisible()
    assert row.wrong.text() == form.error() == "Push: give 0 - 1."
    assert row.field.property("wrong") is True
    write(row, "0.7")
    assert not row.wrong.isVisible()


def test_a_parameter_shows_only_where_it_applies(form):
    assert not form.rows["n_neighbors"].isVisible()
    box = form.rows["mode"].field
    box.setCurrentIndex(box.findData("knn"))
    assert form.rows["n_neighbors"].isVisible()
    assert form.values()["n_neighbors"] == 30


def test_advanced_parameters_are_behind_a_fold(form):
    assert not form.rows["beta"].isVisible()
    QTest.mouseClick(form.fold, LEFT)
    assert form.rows["beta"].isVisible()


def test_the_fold_counts_what_applies(qtbot):
    rare = Param("patience", "int", 3, advanced=True, when=("mode", "adaptive"))
    usual = {p.name: p.default for p in (*SLE, rare)}
    form = ParamForm()
    qtbot.addWidget(form)
    form.show_params((*SLE, rare), usual, usual)
    before = form._fold_count.text()
    box = form.rows["mode"].field
    box.setCurrentIndex(box.findData("adaptive"))
    assert (before, form._fold_count.text()) == ("1 setting", "2 settings")


def test_a_long_name_of_a_parameter_does_not_make_its_form_wider_than_the_dock(qtbot):
    long = Param("instances_of_positive_bags_that_count", "float", 0.5)
    form = ParamForm()
    qtbot.addWidget(form)
    form.show_params((long,), {long.name: 0.5}, {long.name: 0.5})
    assert form.minimumSizeHint().width() <= 248  # of the dock in the least window


def test_the_pill_gives_a_value_back_to_the_program(form):
    form.fold.setChecked(True)
    row = form.rows["beta"]
    assert row.field.pill.isChecked()
    write(row, "4.5")
    assert form.values()["beta"] == 4.5
    assert not row.field.pill.isChecked()
    QTest.mouseClick(row.field.pill, LEFT)
    assert form.values()["beta"] is None


def test_every_field_has_a_name_and_the_help_as_tooltip(form):
    assert form.rows["gamma"].field.accessibleName() == "Push"
    assert form.rows["gamma"].field.toolTip() == "Weight of pushing."


def walk(root, steps):
    """What has the keyboard after each Tab."""
    for _ in range(steps):
        QTest.keyClick(QApplication.focusWidget(), Key.Key_Tab)
        yield QApplication.focusWidget()


def test_tab_leads_from_field_to_field_and_what_is_typed_arrives(panel, qtbot):
    with qtbot.waitActive(panel):
        panel.activateWindow()
    QTest.mouseClick(panel.form.fold, LEFT)
    write(panel.form.rows["gamma"], "0.5")  # its dot is there now
    panel.form.rows["n_components"].field.setFocus()
    rows = [row for row in panel.form.rows.values() if row.isVisible()]
    fields = [row.field for row in rows]
    for field, found in zip(fields[1:3], walk(panel, 2), strict=True):
        assert found is field
    panel.form.rows["n_components"].field.setFocus()
    (field,) = walk(panel, 1)
    QTest.keyClicks(field, "0.7")
    assert panel.form.rows["gamma"].value == 0.7
    assert not panel.form.rows["gamma"].dot.hasFocus()


def test_tab_goes_on_from_the_parameters_to_what_stands_below_them_and_back(panel, qtbot):
    with qtbot.waitActive(panel):
        panel.activateWindow()
    panel.form.rows["gamma"].field.setFocus()
    wanted = [
        panel.form.rows["mode"].field,
        panel.form.fold,
        panel.learned.choice,
        panel.classifier.choice,
        panel.run_button,
    ]
    walked = list(walk(panel, 12))
    until = walked[: walked.index(panel.run_button) + 1]
    assert [
        widget for widget in until if widget in [*wanted, panel.methods, panel.data.fold]
    ] == wanted
    panel.run_button.setFocus()
    QTest.keyClick(panel.run_button, Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is until[-2]


def test_tab_through_the_run_dock_stops_only_where_something_can_be_seen_to_have_the_keyboard(
    panel, qtbot
):
    with qtbot.waitActive(panel):
        panel.activateWindow()
    panel.methods.setFocus()
    seen = [type(widget).__name__ for widget in walk(panel, 40)]
    assert not {"_Dot", "Fitting", "Scrolling", "QScrollArea"} & set(seen)
    assert {"NumberField", "QComboBox", "Primary"} <= set(seen)


def test_the_menu_of_a_field_brings_the_usual_value_back(form):
    row = form.rows["gamma"]
    write(row, "0.5")
    row.field.menu().actions()[-1].trigger()
    assert row.value == 0.1


# --- methods


# --- the panel


def test_until_the_parameters_are_there_gray_rows_stand_for_them(session, qtbot):
    panel = RunPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.loading.isVisible()
    assert not panel.form.isVisible()


def test_until_a_method_is_chosen_it_is_the_suggested_one(empty_session, small_project, qtbot):
    panel = RunPanel(empty_session)
    qtbot.addWidget(panel)
    assert panel.session.runs.draft.method == "pca"
    empty_session.replace(small_project, None)
    assert panel.session.runs.draft.method == "mi-umap"
    panel.methods.chosen.emit("isomap")
    empty_session.do(PutLabels(title="Delete a label", before=list(small_project.labels)[:1]))
    assert panel.session.runs.draft.method == "isomap"


def test_two_dimensions_stay_two_while_looking_at_another_method(panel):
    write(panel.form.rows["n_components"], "2")
    panel.methods.chosen.emit("pca")
    panel.methods.chosen.emit("s-le")
    assert panel.form.values()["n_components"] == 2


def test_the_panel_tells_data_and_cost(panel):
    assert panel.data.facts.text() == "288 instances in 18 bags, 324 features"
    assert panel.estimate.text() == "about 6 s on this computer  ·  18 bags"


def test_the_3d_map_gets_its_third_dimension(panel):
    assert panel.session.runs.draft.recipe.params == {"n_components": 3}


def test_run_sends_labels_and_recipe_to_the_worker(panel, worker, session):
    write(panel.form.rows["gamma"], "0.5")
    QTest.mouseClick(panel.run_button, LEFT)
    (job,) = asked(worker, MakeRun)
    assert session.runs.job.title == "Run 12"
    assert job.request.run_id == 12
    assert job.request.recipe.params == {"n_components": 3, "gamma": 0.5}
    assert len(from_snapshot(job.request.snapshot).labels) == 19


def test_progress_shows_and_run_waits(panel, worker, qtbot):
    panel.session.runs.start()
    worker.start_job(panel.session.runs.job.id)
    worker.progress(panel.session.runs.job.id, 0.6, "Neighbors")
    qtbot.waitUntil(lambda: "Neighbors" in panel.running.message.text())
    assert panel.running.isVisible()
    assert panel.running.bar.value() == 600
    assert panel.run_button.toolTip() == "Run 12 is running."
    assert panel.count == "Run 12, 60 %"


def finish(panel, worker, session, qtbot, run_id):
    recipe = asked(worker, MakeRun)[-1].request.recipe
    run = msgspec.structs.replace(session.project.runs[11], id=run_id, recipe=recipe)
    worker.finish(session.runs.job.id, run)
    qtbot.waitUntil(lambda: run_id in session.project.runs)
    return run


def test_without_labels_run_says_so_before_it_is_asked(panel, session, qtbot):
    session.do(PutLabels(title="Delete all", before=list(session.project.labels)))
    assert session.runs.why_not() == NO_LABELS
    assert not panel.run_button.isEnabled()
    qtbot.waitUntil(lambda: panel.estimate.text() == NO_LABELS)


def test_a_finished_run_and_its_recipe_are_one_step(panel, worker, session, qtbot):
    write(panel.form.rows["gamma"], "0.5")
    session.runs.start()
    finish(panel, worker, session, qtbot, 12)
    assert session.run.id == 12
    assert session.project.recipe.params["gamma"] == 0.5
    assert not panel.running.isVisible()
    assert session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert sorted(session.project.runs) == [11]
    assert "recipe" not in session.project.settings


def test_cancel_leaves_everything_as_it_was(panel, worker, session, qtbot):
    session.runs.start()
    QTest.mouseClick(panel.running.cancel, LEFT)
    qtbot.waitUntil(lambda: not panel.running.isVisible())
    assert worker.canceled == [session.runs.job.id]
    assert sorted(session.project.runs) == [11]
    assert panel.run_button.isEnabled()


def test_after_a_run_was_canceled_the_keyboard_is_back_at_run(panel, worker, qtbot):
    panel.session.runs.start()
    panel.running.cancel.setFocus()
    QTest.mouseClick(panel.running.cancel, LEFT)
    qtbot.waitUntil(lambda: not panel.running.isVisible())
    assert panel.focusWidget() is panel.run_button


def test_after_a_failure_it_can_run_again(panel, worker, qtbot):
    panel.session.runs.start()
    worker.fail(panel.session.runs.job.id, "The graph has 4 parts. Raise k to 16.", "Traceback ...")
    qtbot.waitUntil(lambda: not panel.running.isVisible())
    assert panel.run_button.isEnabled()


def test_a_wrong_value_disables_run_with_its_sentence(panel):
    write(panel.form.rows["gamma"], "9")
    assert not panel.run_button.isEnabled()
    assert panel.run_button.toolTip() == "Push: give 0 - 1."


def test_what_cannot_run_is_said_before(panel, worker, qtbot):
    worker.answers.pop(EstimateRun)
    panel.session.runs.ask()
    worker.fail(
        panel.session.runs._question.id,
        "S-LE takes up to 200 000 instances, there are 300 000. Choose PCA.",
    )
    qtbot.waitUntil(lambda: "Choose PCA" in panel.estimate.text())
    assert not panel.run_button.isEnabled()


def test_a_relabel_says_so_and_undo_takes_it_back(panel, session, qtbot):
    session.do(
        PutLabels(
            title="Add box", after=[Box(id=999, source=10, frame=1, x0=0, y0=0, x1=40, y1=40)]
        )
    )
    qtbot.waitUntil(panel.stale.isVisible)
    assert panel.stale.text() == "Labels changed since run 11"
    session.undo_stack.undo()
    qtbot.waitUntil(lambda: not panel.stale.isVisible())


def test_a_run_made_old_by_a_relabel_offers_its_settings_where_another_method_stands(
    panel, session, qtbot
):
    session.do(
        PutLabels(
            title="Add box", after=[Box(id=999, source=10, frame=1, x0=0, y0=0, x1=40, y1=40)]
        )
    )
    qtbot.waitUntil(panel.stale.isVisible)
    assert not panel.same_again.isVisible()
    session.runs.draft.choose("pca")
    qtbot.waitUntil(panel.same_again.isVisible)
    QTest.mouseClick(panel.same_again, LEFT)
    assert session.runs.draft.method == session.run.recipe.method == "s-le"
    assert not panel.same_again.isVisible()


def test_marks_make_a_run_old_too_and_running_again_is_one_call(panel, worker, session, qtbot):
    session.selection.select(session.run.ids[:5])
    session.mark_selection(2)
    qtbot.waitUntil(panel.stale.isVisible)
    session.runs.start()
    finish(panel, worker, session, qtbot, 12)
    assert not panel.stale.isVisible()


def test_another_method_brings_its_own_form_and_keeps_the_old_values(panel):
    write(panel.form.rows["gamma"], "0.5")
    index = next(i for i, c in enumerate(panel.methods.rows) if c.method.id == "pca")
    at = panel.methods.visualRect(panel.methods.model().index(index, 0)).center()
    QTest.mouseClick(panel.methods.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, at)
    assert list(panel.form.rows) == ["n_components"]
    at = next(i for i, c in enumerate(panel.methods.rows) if c.method.id == "s-le")
    panel.methods.setCurrentIndex(panel.methods.model().index(at, 0))
    assert panel.form.rows["gamma"].value == 0.5


def test_data_settings_unfold_and_reach_the_recipe(panel):
    QTest.mouseClick(panel.data.fold, LEFT)
    write(panel.data.form.rows["patch"], "16")
    assert panel.session.runs.draft.recipe.bags.patch == 16
    assert panel.data.fold.text() == "Patches 16 px, infrared"


def test_data_settings_are_made_when_they_are_first_unfolded(panel):
    assert panel.data.findChildren(ParamForm) == []
    QTest.mouseClick(panel.data.fold, LEFT)
    bags = panel.session.runs.draft.recipe.bags
    assert [panel.data.form.rows[name].value for name in ("patch", "stride")] == [
        bags.patch,
        bags.stride,
    ]
    assert panel.data.form.isVisible()


def test_a_folded_value_out_of_range_is_refused_all_the_same(panel):
    draft = panel.session.runs.draft
    draft.show(Recipe(bags=BagRecipe(patch=9999), method="pca"))
    assert draft.wrong
    assert not panel.data.form.isVisible()


def test_bags_and_features_of_a_project_that_never_ran_fit_its_labels(panel, session):
    recipe = session.runs.draft.recipe
    assert (recipe.features.kind, recipe.reduce) == ("infrared", 0)
    assert recipe.bags.patch == usual_recipe(session.project)[0].bags.patch


def test_bags_changed_by_hand_stay_when_labels_change(panel, session):
    write(panel.data.form.rows["patch"], "16")
    session.do(PutLabels(title="Delete a label", before=list(session.project.labels)[:1]))
    assert session.runs.draft.recipe.bags.patch == 16


def test_recipes_that_were_tried_put_the_best_one_into_the_form_and_say_why(
    panel, session, worker, qtbot
):
    QTest.mouseClick(panel.try_out, LEFT)
    assert not panel.try_out.isEnabled()
    found = Recipe(method="mida", reduce=7)
    worker.finish(asked(worker, SuggestRecipe)[-1].job, SuggestedRecipe(found, ["Because."]))
    qtbot.waitUntil(lambda: session.runs.draft.method == "mida")
    assert session.runs.draft.recipe.reduce == 7
    assert panel.reasons.words.text() == "Because."
    assert panel.try_out.isEnabled()


def suggest(session, worker, qtbot, method, reasons):
    session.runs.suggestions.try_recipes()
    worker.finish(
        asked(worker, SuggestRecipe)[-1].job, SuggestedRecipe(Recipe(method=method), reasons)
    )
    qtbot.waitUntil(lambda: session.runs.suggestions.reasons == "  ".join(reasons))


def test_reasons_stand_in_full_until_another_suggestion_whatever_else_is_advised(
    panel, session, worker, qtbot
):
    long = [
        f"It tells held-out bags apart with an area of .9{n}, on bags that did not choose it."
        for n in range(6)
    ]
    suggest(session, worker, qtbot, "mida", long)
    session.runs.advice = ["The data seems to have about 17 dimensions."]
    session.runs.changed.emit({"advice", "estimate"})
    session.do(PutLabels(title="Delete a label", before=list(session.project.labels)[:1]))
    assert panel.reasons.isVisible()
    assert panel.reasons.words.text() == "  ".join(long)
    suggest(session, worker, qtbot, "pca", ["Another."])
    assert panel.reasons.words.text() == "Another."


def test_reasons_fold_away_and_go_with_their_project(panel, session, worker, qtbot):
    suggest(session, worker, qtbot, "mida", ["Because."])
    QTest.mouseClick(panel.reasons.fold, LEFT)
    assert not panel.reasons.words.isVisible()
    session.replace(Project(), None)
    assert not panel.reasons.isVisible()


def test_the_log_has_every_reason(panel, session, worker, qtbot):
    suggest(session, worker, qtbot, "mida", ["Because.", "And since."])
    assert [line.words for line in log_book().lines[-2:]] == [
        "Suggested MIDA: Because.",
        "Suggested MIDA: And since.",
    ]


def test_trying_recipes_can_be_canceled(panel, session, worker, qtbot):
    QTest.mouseClick(panel.try_out, LEFT)
    QTest.mouseClick(panel.running.cancel, LEFT)
    assert asked(worker, SuggestRecipe)[-1].job in worker.canceled


def test_more_sizes_are_written_as_a_list(panel):
    QTest.mouseClick(panel.data.fold, LEFT)
    write(panel.data.form.rows["also"], "64, 96")
    assert panel.session.runs.draft.recipe.bags.also == (64, 96)
    patch = panel.session.runs.draft.recipe.bags.patch
    assert panel.data.fold.text() == f"Patches {patch}, 64 and 96 px, infrared"


@pytest.mark.parametrize(
    ("words", "hint"), [("64 by 96", "for example 64, 96"), ("2", "4 - 512 px")]
)
def test_what_is_no_list_of_sizes_is_said(panel, words, hint):
    QTest.mouseClick(panel.data.fold, LEFT)
    write(panel.data.form.rows["also"], words)
    assert hint in panel.session.runs.why_not()


def test_fit_to_labels_fills_what_fits_and_says_why(panel):
    QTest.mouseClick(panel.data.fold, LEFT)
    sizes = FittingSizes(24, 12, (64,), "Targets are large: patches of 24 and 64 px, step 12.")
    panel.data.show_sizes(sizes)
    assert panel.data.why.text() == sizes.why
    QTest.mouseClick(panel.data.fit, LEFT)
    bags = panel.session.runs.draft.recipe.bags
    assert (bags.patch, bags.stride, bags.also) == (24, 12, (64,))
    assert not panel.data.fit.isVisible()  # nothing is left to fill in


def test_a_stride_that_leaves_gaps_is_said_beside_the_patch(panel):
    QTest.mouseClick(panel.data.fold, LEFT)
    bags = panel.session.runs.draft.recipe.bags
    assert "gaps" not in panel.data.why.text()
    write(panel.data.form.rows["patch"], "8")
    assert f"Steps of {bags.stride} px leave gaps between patches of 8 px" in panel.data.why.text()
    write(panel.data.form.rows["stride"], "8")
    assert "gaps" not in panel.data.why.text()


def test_the_patches_that_fit_follow_the_labels_of_the_project(panel):
    project = panel.session.project
    assert (
        panel.data.why.text()
        == fitting_sizes(project.labels.table(), project.classes, project.frame_sizes).why
    )


def test_chips_of_labels_have_no_patches_to_fit(panel):
    QTest.mouseClick(panel.data.fold, LEFT)
    level = panel.data.form.rows["level"]
    level.set_value("chip", tell=True)
    assert not panel.data.fit.isVisible()


def test_without_labels_only_methods_that_read_none_fit(empty_session, worker, qtbot):
    panel = RunPanel(empty_session)
    qtbot.addWidget(panel)
    fitting = sum(row.needs == "none" for row in METHODS)
    assert panel.fits.text() == f"fits your labels: {fitting} of {len(METHODS)}"
    assert panel.session.runs.draft.method == "pca"


# --- history


def test_history_has_the_newest_run_first_and_a_click_shows_one(panel, session, worker, qtbot):
    session.runs.start()
    finish(panel, worker, session, qtbot, 12)
    table = panel.history.table
    assert [table.model().index(row, 0).data() for row in range(2)] == ["12", "11"]
    QTest.mouseClick(table.viewport(), LEFT, Qt.KeyboardModifier.NoModifier,
                     table.visualRect(table.model().index(1, 1)).center())
    assert session.run.id == 11


def with_metrics(session, **metrics):
    run = msgspec.structs.replace(session.run, metrics=metrics)
    session.do(PutRuns(before=[session.run], after=[run]))
    return run


def test_history_tells_how_well_held_out_bags_are_told_apart(panel, session):
    with_metrics(
        session,
        method_bag_auc=0.84,
        method_bag_auc_low=0.61,
        method_bag_auc_high=0.94,
        bag_auc=0.99,
    )
    row = panel.history.table.model().index(0, 2)
    assert row.data() == "0.84 (0.61 – 0.94)"
    tip = row.data(Qt.ItemDataRole.ToolTipRole)
    assert "labels as of" in tip
    assert "Held-out bag AUC 0.84 (0.61 – 0.94), held out by blocks of frames" in tip


def test_a_row_of_the_history_names_the_split_of_its_number(panel, session):
    with_metrics(session, method_bag_auc=0.84, method_bag_by_clip=1.0)
    assert panel.history.model.beside(0).endswith("held out by clip")


def test_a_classifiers_area_is_not_that_of_the_method(panel, session):
    with_metrics(session, bag_auc=0.99)
    assert panel.history.table.model().index(0, 2).data() == "–"


def test_rows_say_what_differs_from_the_run_before_and_marks_since(panel, session):
    first = session.run
    recipe = msgspec.structs.replace(first.recipe, bags=BagRecipe(patch=48))
    session.do(PutRuns(after=[msgspec.structs.replace(first, id=12, recipe=recipe)]))
    session.do(mark(session.project, first.ids[first.y > 0][:2].tolist(), model.BACKGROUND))
    rows = panel.history.model
    assert rows.beside(0) == "patch 48, 2 marks since  ·  hog"
    assert rows.beside(1) == "2 marks since  ·  32 px hog"


def test_counts_of_the_tip_are_all_grouped_in_one_way(panel, session):
    notes = ["1684 of 1716 instances are exact copies of others."]
    told = msgspec.structs.replace(session.run, notes=notes)
    session.do(PutRuns(before=[session.run], after=[told]))
    tip = panel.history.model.tip(0, 0)
    assert "1\N{THIN SPACE}684 of 1\N{THIN SPACE}716 instances" in tip


def test_what_a_run_lacks_is_measured_from_its_row_and_undone_as_one_step(
    panel, session, worker, qtbot
):
    run = with_metrics(session, trustworthiness=0.9, method_bag_auc_seconds=40.0)
    row = panel.history.table.model().index(0, 2)
    assert row.data() == "not measured"
    next(
        a for a in panel.history.menu(0).actions() if a.text() == "Measure what it lacks"
    ).trigger()
    job = measure_job(session, run)
    worker.finish(job.id, msgspec.structs.replace(run, metrics={"method_bag_auc": 0.84}))
    qtbot.waitUntil(lambda: panel.history.table.model().index(0, 2).data() == "0.84")
    assert [a.text() for a in panel.history.menu(0).actions()].count("Measure what it lacks") == 0
    session.undo_stack.undo()
    assert session.run is run


def test_numbers_of_a_run_that_was_deleted_meanwhile_are_dropped(panel, session, worker, qtbot):
    run = with_metrics(session, method_bag_auc_seconds=40.0)
    job = start_measuring(session, run)
    session.do(PutRuns(before=[run]))
    worker.finish(job.id, run)
    qtbot.waitUntil(lambda: job.state == "finished")
    assert not session.project.runs


def test_a_run_is_deleted_and_brought_back(panel, session):
    panel.history.menu(0).actions()[-1].trigger()
    assert not session.project.runs
    assert not panel.history.isVisible()
    session.undo_stack.undo()
    assert sorted(session.project.runs) == [11]


def test_settings_of_an_old_run_can_be_used_again(panel, session):
    recipe = Recipe(method="pca", params={"n_components": 2}, reduce=20)
    panel.history.again.emit(recipe)
    assert session.runs.draft.recipe.method == "pca"
    assert session.runs.draft.recipe.reduce == 20
    assert panel.form.rows["n_components"].value == 2


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, ""),
        ({"n_components": 3}, ""),
        ({"gamma": 0.5}, "gamma 0.5"),
        ({"n_neighbors": 30}, "neighbors 30"),
    ],
)
def test_the_key_parameter_is_the_one_that_was_set(params, words):
    assert key_parameter(Recipe(params=params)) == words


def test_screenshots(panel, worker, qtbot, screenshot):
    write(panel.form.rows["gamma"], "0.5")
    panel.session.runs.start()
    worker.start_job(panel.session.runs.job.id)
    worker.progress(panel.session.runs.job.id, 0.6, "Neighbors")
    qtbot.waitUntil(lambda: panel.running.bar.value() == 600)
    for theme in ("dark", "light"):
        look().apply(theme)
        assert screenshot(panel, "run").exists()


# --- advice


def test_what_the_data_say_about_pictures_is_shown_and_stays_away_once_dismissed(
    panel, worker, qtbot
):
    advice = "The data have about 4 dimensions."
    worker.answers[EstimateRun] = lambda _: replace(COST, advice=(advice,))
    panel.session.runs.ask()
    qtbot.waitUntil(lambda: panel.advice.isVisible())
    assert panel.advice.words == advice
    QTest.mouseClick(panel.advice._close, LEFT)
    before = len(asked(worker, EstimateRun))
    panel.session.runs.ask()
    qtbot.waitUntil(
        lambda: len(asked(worker, EstimateRun)) > before and "about" in panel.estimate.text()
    )
    assert not panel.advice.isVisible()


def test_in_a_tall_panel_nothing_is_cut(panel, worker, qtbot):
    advice = (
        "k = 15 makes 3 edges that seem to jump between folds and shorten the paths by 20%; try k "
        "= 8, or remove them."
    )
    worker.answers[EstimateRun] = lambda _: replace(COST, advice=(advice,))
    panel.resize(300, 1100)
    panel.session.runs.ask()
    qtbot.waitUntil(lambda: panel.advice.isVisible())
    bar = panel._scroll.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    assert panel.advice.height() >= panel.advice.heightForWidth(panel.advice.width())


@pytest.mark.parametrize("width", [500, 264])
def test_no_button_below_the_methods_is_cut_however_narrow_the_dock(panel, qtbot, width):
    panel.resize(width, 900)
    panel.show()

    def whole(button):
        return (button.mapTo(panel, button.rect().topRight()).x() <= width
                and button.width() >= button.sizeHint().width())

    qtbot.waitUntil(lambda: whole(panel.all_methods) and whole(panel.try_out))


def replay_of(panel, session, worker, **found):
    """The message after a replay of the first run of the list, by what the worker found."""
    said = []
    session.message.connect(said.append)
    action = next(a for a in panel.history.menu(0).actions() if a.text().startswith("Replay"))
    action.trigger()
    job = next(job for job in session.jobs.running if job.title == f"Replay run {session.run.id}")
    worker.finish(job.id, Replayed(run=session.run.id, compared=["features", "embed"], **found))
    return said


def test_a_run_is_replayed_from_its_row_and_the_verdict_is_said(panel, session, worker, qtbot):
    said = replay_of(panel, session, worker, equal=True, differs="", other=[], notes=[])
    qtbot.waitUntil(lambda: bool(said))
    assert said[0].words == "Run 11 is equal to the bit: features, embed."
    assert (said[0].level, said[0].stays) == ("info", True)


def test_a_replay_that_differs_warns_and_says_why(panel, session, worker, qtbot):
    said = replay_of(panel, session, worker, equal=False, differs="embed", other=["embed"],
                     notes=["The code is another."])
    qtbot.waitUntil(lambda: bool(said))
    assert said[0].level == "warn"
    assert said[0].words == ("Run 11 differs: the first stage with another result is embed. "
                             "The code is another.")
