"""What the plate of the 2-D map says: of clips, of what spoils a number, and of the axes on
show."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.split_recipe import SplitRecipe
from emberscope.course.scores import BY_SIZE
from emberscope.findings.shown_axes import of_axes
from emberscope.mil.rules.agreement import ABOUT_GROUND
from emberscope.mil.rules.border import UNLIKE
from emberscope.project import PutRuns
from emberscope.project.model.parts import ALL, Part, packed
from emberscope.tasks.measures import MeasureAxes
from emberscope_app.latent_view.quality import quality_parts
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.state.knowledge.shown_axes import WHOLE

BACKGROUND_TELLS = "The background alone tells the bags apart."
DIMENSIONS = (
    "Locally the data have about 17 dimensions (15 to 19): an embedding in 2 or 3 must "
    "fold some of them."
)
TWO_CLIPS = {
    "method_bag_auc": 0.87,
    "method_bag_auc_low": 0.8,
    "method_bag_auc_high": 0.93,
    "method_bag_clips": 2.0,
    "method_bag_clips_not_judged": 0.0,
}
TRUTHS = {
    "witness_found": 0.8,
    "witness_found_low": 0.7,
    "witness_found_high": 0.9,
    "witness_found_chance": 0.17,
    "inside_auc": 0.85,
    "map_accuracy": 0.73,
}


def with_run(session, **fields):
    old = session.run
    session.do(PutRuns(before=[old], after=[msgspec.structs.replace(old, **fields)]))
    return session.run


def said(session, **fields):
    """The parts of the plate, what warns with a "!" before it."""
    run = with_run(session, **fields)
    return [f"{'!' if part.warns else ''}{part.words}" for part in quality_parts(session, run)]


@pytest.fixture
def flat(map_session):
    return map_session(n=60, d=2)


@pytest.fixture
def panel(map_session, qtbot):
    found = Map2DPanel(map_session(n=300))
    qtbot.addWidget(found)
    found.resize(700, 560)
    found.show()
    return found


def test_the_number_of_several_clips_says_of_how_many_it_is_the_mean(flat):
    assert (
        said(flat, metrics=TWO_CLIPS)[0]
        == "Held-out bag AUC 0.87 (0.80 \u2013 0.93), mean of 2 clips"
    )


def test_the_split_stands_behind_the_number_that_rests_on_it(flat):
    assert said(flat, metrics=TWO_CLIPS)[1] == "held out by blocks of frames"
    recipe = msgspec.structs.replace(flat.run.recipe, split=SplitRecipe(kind="clip"))
    assert said(flat, metrics=TWO_CLIPS, recipe=recipe)[1] == "split by clip"


def test_a_run_that_a_trial_chose_says_its_number_and_that_it_is_optimistic(flat):
    metrics = {"chosen_bag_auc": 0.93, "chosen_bag_auc_low": 0.88, "chosen_bag_auc_high": 0.97,
               "method_bag_auc_seconds": 40.0}
    words = "Bag AUC of the trial 0.93 (0.88 \u2013 0.97), chose this recipe, so optimistic"
    assert said(flat, metrics=metrics)[0] == words


def test_a_clip_far_below_the_mean_stands_behind_it(flat):
    night = {"method_bag_auc": 0.99, "positive_bags": 20.0, "negative_bags": 20.0}
    clips = [Part(10, ALL, {**night, "method_bag_auc": 0.75}), Part(11, ALL, night)]
    assert (
        said(flat, metrics=TWO_CLIPS, diagnostics=packed("areas", clips))[1] == "!worst clip 0.75"
    )


def test_a_decisive_note_stands_behind_the_number_that_it_spoils(flat):
    metrics = {**TWO_CLIPS, "bag_auc_without_targets": 0.92, "trustworthiness": 0.9}
    found = said(flat, metrics=metrics, notes=[BACKGROUND_TELLS.lower()])
    assert found[1:3] == ["!background alone 0.92", "Trust 0.90"]


@pytest.mark.parametrize(("note", "words"), [
    (UNLIKE, "ground unlike background"), (BY_SIZE.format(0.95), "size of bags alone tells them"),
    ("Placebo: background at the places of targets is separated with AUC 0.68 (chance .5): places "
     "alone may tell the bags apart.", "placebo 0.68"),
])  # fmt: skip
def test_whatever_tells_bags_apart_without_targets_stands_behind_their_area(flat, note, words):
    assert said(flat, metrics={**TWO_CLIPS, "placebo_auc": 0.68}, notes=[note])[1] == f"!{words}"


def test_of_notes_that_are_not_decisive_the_first_stands_behind_its_number(flat):
    numbers = {**TRUTHS, "witness_found": 0.5, "witness_found_bags": 120.0, "bags_missed": 3.0}
    notes = [
        "The rules agree little about which are targets.",
        "In 3 of 9 positive bags no patch lies on the target.",
    ]
    assert said(flat, metrics=numbers, notes=notes)[1] == "!rules agree little"


def test_a_decisive_note_about_a_number_that_is_not_there_stands_first(flat):
    found = said(flat, metrics={"trustworthiness": 0.9}, notes=[ABOUT_GROUND])
    assert found == ["!witness often ground", "Trust 0.90", "n 60"]
    assert said(flat, metrics={}, notes=[UNLIKE])[0] == "!ground unlike background"


def test_a_decisive_note_of_an_older_run_stands_there_without_its_number(flat):
    assert said(flat, metrics=TWO_CLIPS, notes=[BACKGROUND_TELLS.lower()])[1] == "!background alone"


def test_a_remark_is_not_on_the_plate(flat):
    assert said(flat, metrics={"trustworthiness": 0.9}, notes=[DIMENSIONS]) == [
        "Trust 0.90",
        "n 60",
    ]


def test_with_truth_the_ranking_inside_bags_and_the_map_are_on_the_plate(flat):
    assert said(flat, metrics={**TRUTHS, "witness_found_bags": 120.0}) == [
        "Witness found 0.80 (0.70 \u2013 0.90), chance 0.17, 120 bags",
        "AUC inside positive bags 0.85",
        "Map accuracy 0.73",
        "n 60",
    ]


def test_of_fewer_than_five_bags_the_plate_says_nothing(flat):
    assert said(flat, metrics={**TRUTHS, "witness_found_bags": 4.0}) == []


def test_where_every_patch_is_target_the_plate_speaks_of_no_witness(flat):
    everywhere = {
        **TRUTHS,
        "witness_found": 1.0,
        "witness_found_chance": 1.0,
        "witness_found_bags": 120.0,
    }
    assert not any("Witness" in words for words in said(flat, metrics=everywhere))


def test_a_witness_found_no_more_often_than_by_chance_says_so(flat):
    found = said(flat, metrics={**TRUTHS, "witness_found_chance": 0.8, "witness_found_bags": 120.0})
    assert found[1] == "!no better than chance"


def test_the_ceiling_stands_behind_the_number_that_it_bounds(flat):
    metrics = {"inside_auc": 0.85, "inside_auc_ceiling": 0.92, "witness_found_bags": 120.0}
    assert said(flat, metrics=metrics)[0] == "AUC inside positive bags 0.85, ceiling 0.92"


def test_what_warns_is_painted_in_the_color_of_warnings(panel):
    metrics = {**TWO_CLIPS, "bag_auc_without_targets": 0.92}
    with_run(panel.session, metrics=metrics)
    plain = panel.quality.grab().toImage()
    with_run(panel.session, notes=[BACKGROUND_TELLS.lower()])
    assert "background alone 0.92" in panel.quality.shown
    warm = {
        plain_or_not.pixelColor(x, y).name()
        for plain_or_not in (panel.quality.grab().toImage(),)
        for x in range(plain_or_not.width())
        for y in range(plain_or_not.height())
    }
    cold = {
        plain.pixelColor(x, y).name() for x in range(plain.width()) for y in range(plain.height())
    }
    assert "#efc04a" in warm - cold


# --- the axes on show


def measured(request):
    """What the worker says of two axes: nobody's neighbor is true, trust is 0.5."""
    run, axes = request.run, request.axes
    points = {of_axes("trustworthiness", axes): np.full(len(run.ids), 0.5, np.float32)}
    numbers = {of_axes("trustworthiness", axes): 0.5}
    return msgspec.structs.replace(
        run, point_scores=run.point_scores | points, metrics=run.metrics | numbers
    )


def test_the_plate_speaks_of_the_two_axes_on_show_and_not_of_all(panel):
    assert panel.session.run.metrics["trustworthiness"] == 0.98
    assert "Trust 0.93" in panel.quality.text()


def test_the_color_trust_is_of_the_two_axes_on_show(panel):
    panel.session.focus.set(color_by="trustworthiness")
    own = panel.session.run.point_scores[of_axes("trustworthiness", (0, 1))]
    assert panel.cloud.style.note == "Trust, axes 1 and 2"
    assert panel.cloud.style.scale.low == pytest.approx(
        np.floor(np.percentile(own, 2) / 0.05) * 0.05
    )


def test_trust_of_all_axes_can_be_asked_for(panel):
    panel.session.focus.set(color_by=f"trustworthiness{WHOLE}")
    assert panel.cloud.style.note == "Trust, all 3 axes"
    assert panel.color_box.currentText() == "trust, all"


def choose(panel, words):
    panel.axes_box.setCurrentText(words)
    panel.axes_box.activated.emit(panel.axes_box.currentIndex())


def test_two_axes_are_chosen_on_the_map_and_the_points_go_there(panel):
    assert [panel.axes_box.itemText(at) for at in range(3)] == [
        "axes 1, 2",
        "axes 1, 3",
        "axes 2, 3",
    ]
    choose(panel, "axes 1, 3")
    assert np.array_equal(panel.surface.places[:, :2], panel.cloud.places[:, [0, 2]])
    inside = panel.surface.positions()[:, :2] / panel.surface.ratio
    assert (inside > 0).all()
    assert (inside < (700, 560)).all()


def test_axes_beyond_the_third_have_a_place_of_their_own(map_session, qtbot):
    session = map_session(n=60)
    rng = np.random.default_rng(0)
    with_run(session, Z=rng.normal(size=(60, 5)).astype(np.float32))
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    choose(panel, "axes 4, 5")
    assert np.corrcoef(panel.surface.places[:, 0], session.run.Z[:, 3])[0, 1] == pytest.approx(1)
    assert np.corrcoef(panel.surface.places[:, 1], session.run.Z[:, 4])[0, 1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("d", "offered"), [(1, []), (2, ["axes 1, 2", "axis 1", "axis 2"])]
)  # fmt: skip
def test_a_run_of_few_dimensions_offers_what_it_has(map_session, qtbot, d, offered):
    panel = Map2DPanel(map_session(n=60, d=d))
    qtbot.addWidget(panel)
    assert [panel.axes_box.itemText(at) for at in range(panel.axes_box.count())] == offered


def test_how_faithful_other_axes_are_is_measured_when_they_are_chosen(panel, worker, qtbot):
    choose(panel, "axes 1, 3")
    assert "Trust" not in panel.quality.text()  # nobody knows yet
    (asked,) = worker.asked(MeasureAxes)
    worker.finish(asked.job, measured(asked.request))
    qtbot.waitUntil(lambda: "Trust 0.50" in panel.quality.text())


def test_a_measurement_of_axes_that_failed_is_asked_for_again_when_they_are_chosen_again(
    panel, worker, qtbot
):
    choose(panel, "axes 1, 3")
    (asked,) = worker.asked(MeasureAxes)
    worker.fail(asked.job, "No memory.")
    qtbot.waitUntil(lambda: not panel.session.jobs.running)
    choose(panel, "axes 1, 2")
    choose(panel, "axes 1, 3")
    assert len(worker.asked(MeasureAxes)) == 2


def test_trust_of_two_axes_stands_beside_that_of_all(panel):
    assert "on axes 1, 2, all 3: 0." in panel.quality.text()


def test_sizes_by_trust_are_of_the_axes_on_show(panel):
    trust = of_axes("trustworthiness", (0, 1))
    panel.cloud.set_size_by("trustworthiness")
    own = panel.session.run.point_scores[trust]
    assert panel.cloud.levels[np.argmin(own)] == 0
    assert panel.cloud.levels[np.argmax(own)] == panel.cloud.levels.max()


def test_the_focus_knows_which_maps_are_in_sight(panel):
    assert panel.session.focus.maps == {2}
    panel.hide()
    assert panel.session.focus.maps == set()
