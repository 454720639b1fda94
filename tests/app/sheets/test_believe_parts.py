"""The sheet about belief: notes by their weight, clip by clip and class by class, and the
ceiling."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from emberscope.findings.shown_axes import FAITH
from emberscope.labels.model import TargetClass
from emberscope.project import PutClasses, PutRuns
from emberscope.project.model.parts import ALL, Part, packed
from emberscope_app.state.runs.measuring import CEILING, measure_job
from emberscope_app.theme.controls import Scrolling
from emberscope_app.theme.look import current, look

LEFT = Qt.MouseButton.LeftButton
PERSON = 40
BACKGROUND_TELLS = "Bag AUC 0.95: background alone tells the bags apart."
DIMENSIONS = (
    "Locally the data have about 17 dimensions (15 to 19): an embedding in 2 or 3 must "
    "fold some of them."
)
GROUND = "The rules agreed about ground in 5 bags."
FOUND = {
    "witness_found": 0.75,
    "witness_found_low": 0.6,
    "witness_found_high": 0.86,
    "witness_found_chance": 0.17,
    "witness_found_bags": 40.0,
}


def area(value, positive):
    return {
        "method_bag_auc": value,
        "method_bag_auc_low": value - 0.1,
        "method_bag_auc_high": value + 0.01,
        "positive_bags": float(positive),
        "negative_bags": 30.0,
    }


@pytest.fixture
def sheet(used_window):
    used_window.show_workspace("explore")
    used_window.actions_by_id["run.believe"].trigger()
    return used_window.sheet


def with_run(window, **fields):
    old = window.session.run
    fields["metrics"] = {**old.metrics, **fields.get("metrics", {})}
    window.session.do(PutRuns(before=[old], after=[msgspec.structs.replace(old, **fields)]))
    return window.session.run


def of_clips(window):
    """A run of two clips and one class that is named."""
    window.session.do(PutClasses(after=[TargetClass(id=PERSON, name="Person", role=1, slot=3)]))
    areas = [
        Part(ALL, ALL, area(0.87, 60)),
        Part(10, ALL, area(0.99, 30)),
        Part(77, ALL, area(0.75, 30)),
    ]
    truths = [Part(77, PERSON, FOUND), Part(10, PERSON, {**FOUND, "witness_found_bags": 3.0})]
    return with_run(
        window,
        metrics=area(0.87, 60),
        diagnostics=packed("areas", areas) | packed("truths", truths),
    )


def test_every_clip_and_class_has_its_row_below_the_name_of_its_clip(used_window, sheet):
    of_clips(used_window)
    assert [(row.clip, row.name) for row in sheet.parts.rows] == [
        ("Mean of clips", "All classes"), ("range_pass_01.npy", "All classes"), ("", "Person"),
        ("clip 77", "All classes"), ("", "Person")]
    assert sheet.parts.isVisible()


def test_a_row_tells_on_how_many_bags_its_numbers_rest_and_what_chance_gives(used_window, sheet):
    of_clips(used_window)
    last = sheet.parts.rows[-1]
    assert last.counts == "40 bags"
    assert last.cells[1] == ("0.75", ("0.60\u20130.86", "chance 0.17"))
    assert sheet.parts.rows[1].counts == "30 + 30 bags"


def test_of_fewer_than_five_bags_a_row_says_that_they_are_too_few(used_window, sheet):
    of_clips(used_window)
    assert sheet.parts.rows[2].cells[1] == ("too few (3)", ())


def test_the_clip_far_below_the_mean_is_named_below_the_headline(used_window, sheet):
    of_clips(used_window)
    row = sheet.headline.rows[0]
    assert (row.title, row.spoiled) == ("Held-out bag AUC", "Worst clip 77 0.75")


def test_one_clip_of_one_class_needs_no_table(used_window, sheet):
    with_run(
        used_window,
        diagnostics=packed("areas", [Part(ALL, ALL, area(0.9, 9)), Part(10, ALL, area(0.9, 9))]),
    )
    assert not sheet.parts.isVisible()


def test_heavy_notes_come_before_the_tables_and_remarks_after(used_window, sheet):
    with_run(used_window, notes=[DIMENSIONS, BACKGROUND_TELLS])
    assert sheet.heavy.text() == BACKGROUND_TELLS
    assert sheet.notes.text() == DIMENSIONS
    assert (
        sheet.heavy.mapTo(sheet, sheet.heavy.pos()).y()
        < sheet.notes.mapTo(sheet, sheet.notes.pos()).y()
    )


def test_a_remark_has_no_button_and_a_decisive_note_has_its_own(used_window, sheet):
    with_run(used_window, notes=[DIMENSIONS, BACKGROUND_TELLS])
    assert [button.text() for button in sheet.heavy.buttons.values()] == ["Label background"]
    assert sheet.notes.buttons == {}


def test_often_ground_yields_to_truth(used_window, sheet):
    with_run(used_window, notes=[GROUND])
    assert sheet.heavy.text() == GROUND
    with_run(used_window, metrics={**FOUND, "witness_found": 1.0, "witness_found_bags": 151.0})
    assert GROUND not in sheet.heavy.text() + sheet.notes.text()


def test_the_ceiling_is_offered_where_truth_is_known_only(used_window, sheet):
    assert not sheet.ceiling.isVisible()
    with_run(used_window, metrics=FOUND)
    assert sheet.ceiling.isVisible()


def test_the_ceiling_is_measured_by_the_worker_with_progress_and_cancel(
    used_window, sheet, worker, qtbot
):
    run = with_run(used_window, metrics=FOUND)
    QTest.mouseClick(sheet.ceiling.button, LEFT)
    job = measure_job(used_window.session, run, CEILING)
    worker.start_job(job.id)
    worker.progress(job.id, 0.4, "Fold 2")
    qtbot.waitUntil(lambda: sheet.ceiling.bar.value() == 400)
    QTest.mouseClick(sheet.ceiling.button, LEFT)
    assert worker.canceled == [job.id]


def test_the_ceiling_stands_beside_its_number_and_is_marked_on_its_line(
    used_window, sheet, worker, qtbot
):
    run = with_run(used_window, metrics=FOUND)
    QTest.mouseClick(sheet.ceiling.button, LEFT)
    found = msgspec.structs.replace(run, metrics={**run.metrics, "witness_found_ceiling": 0.92})
    worker.finish(measure_job(used_window.session, run, CEILING).id, found)
    qtbot.waitUntil(lambda: sheet.headline.rows[0].best == 0.92)
    assert sheet.headline.rows[0].meaning.endswith("chance 0.17, 40 bags, ceiling 0.92")
    assert not sheet.ceiling.isVisible()
    image = sheet.headline.grab().toImage()
    colors = {
        image.pixelColor(x, y).name()
        for x in range(image.width() // 2, image.width())
        for y in range(45)
    }
    assert current().acc.lower() in colors


def test_nothing_of_a_run_with_everything_sticks_out_of_the_sheet(used_window, sheet, screenshot):
    run = of_clips(used_window)
    n = len(run.ids)
    points = {
        name: np.linspace(0, 1, n, dtype=np.float32) for name in (*FAITH, "purity", "stability")
    }
    long = (
        "Bags are not held out: the method would have to be fitted 5 times more, which takes "
        "about 40 s."
    )
    with_run(
        used_window,
        point_scores=run.point_scores | points,
        notes=[BACKGROUND_TELLS, long, DIMENSIONS],
        metrics={**FOUND, "method_bag_auc_seconds": 40.0},
    )
    for theme in ("dark", "light"):
        look().apply(theme)
        screenshot(used_window, "believe-clips")
    scrolls = sheet.findChild(Scrolling)
    assert scrolls.horizontalScrollBar().maximum() == 0
