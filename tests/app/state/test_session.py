"""The session: one changed signal, undo, focus that never points at nothing."""

from emberscope.labels.model import Box


def test_the_small_project_has_a_run_whose_rows_fit_together(session):
    run = session.run
    assert len(run.ids) == len(run.Z) == len(run.y) == 288
    assert len(set(run.ids.tolist())) == 288
    assert run.bags.sizes.tolist() == [16] * 18


def test_a_label_is_put_and_taken_back_with_one_undo(session, qtbot):
    label = Box(id=session.project.new_ids()[0], source=10, frame=2, x0=1, y0=2, x1=30, y1=40)
    with qtbot.waitSignal(session.changed) as told:
        session.put_labels([], [label], title="Add box")
    assert told.args[0].frames == {(10, 2)}
    assert session.dirty
    session.undo_stack.undo()
    assert label.id not in session.project.labels
    assert not session.dirty


def test_marking_a_selection_is_one_step_with_a_name(session):
    session.selection.select(session.run.ids[:87])
    session.mark_selection(2)
    assert session.undo_stack.undoText() == "Mark 87 as background"
    assert len(session.project.marks) == 87


def test_going_beyond_the_last_frame_stops_at_it(session):
    session.go(frame=99)
    assert session.focus.frame == 5
