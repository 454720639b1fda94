"""Gestures on a project of 833 040 instances: a part of the bench of stalls."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

N = 833_040


def widest(
    bench: Any, path: Any, draw: Any, other: Any, *, shown: Callable[[], bool]
) -> Iterator[Any]:
    """What each gesture kept the window for. path : of the project; other : of a small one. draw :
    an edit that adds a label. shown : whether the project is open and on show."""
    from emberscope_app.theme.look import look

    session, window, acts = bench.session, bench.window, bench.window.actions_by_id
    yield bench.row("open 833 k", lambda: window.files.open([path]), until=shown)
    for name in ("bags", "inspector", "chips", "map3d", "map2d"):
        window.panel(name)
    yield bench.row("explore 833 k, first time", lambda: None, until=lambda: not session.turns.busy)
    window.files.open([other])
    bench.row("settle", lambda: None)
    yield bench.row("open 833 k again", lambda: window.files.open([path]), until=shown)
    for workspace in ("explore", "label"):
        window.show_workspace(workspace)
        bench.row("settle", lambda: None)
        yield bench.row(f"add a label, 833 k, {workspace}", partial(session.do, draw))
        yield bench.row("undo of it", session.undo_stack.undo)
    yield bench.row("workspace explore, 833 k", partial(window.show_workspace, "explore"))
    switched: list[int] = []
    look().changed.connect(lambda: switched.append(1))
    for turn in (1, 2):
        yield bench.row(
            "theme, 833 k", window.toggle_theme, until=lambda turn=turn: len(switched) == turn
        )
    for color in ("bag", "source", "score", "trustworthiness", "class"):
        yield bench.row(f"color 833 k by {color}", partial(session.focus.set, color_by=color))
    yield from _selecting(bench, acts)
    session.undo_stack.setClean()


def _selecting(bench: Any, acts: Any) -> Iterator[Any]:
    session, canvas = bench.session, bench.window.panel("map2d").surface.canvas
    yield bench.row("select all 833 k", acts["edit.select-all"].trigger)
    yield bench.row("mark 833 k as background", acts["label.mark-background"].trigger)
    for what in ("undo", "redo", "undo"):
        yield bench.row(f"{what} of it", acts[f"edit.{what}"].trigger)
    session.selection.select(session.run.ids[: N // 2])
    bench.row("settle", lambda: None)
    yield bench.row("mark half of 833 k as background", acts["label.mark-background"].trigger)
    yield bench.row("ignore half of 833 k", acts["label.ignore"].trigger)
    yield bench.row("clear the selection, 833 k", acts["edit.clear"].trigger)
    yield bench.row("previous selection, 833 k", acts["edit.back"].trigger)
    w, h = canvas.width(), canvas.height()
    ring = [
        (int(w / 2 + 0.33 * w * np.cos(t)), int(h / 2 + 0.33 * h * np.sin(t)))
        for t in np.linspace(0, 6.2, 60)
    ]
    yield bench.row("lasso on 833 k", *bench.drag(canvas, ring))
    for row in (10, 1000):
        yield bench.row(
            "point at one of 833 k", partial(session.selection.set_hover, int(session.run.ids[row]))
        )
    yield bench.row(
        "go to an instance of 833 k", partial(session.go_to_instance, int(session.run.ids[5000]))
    )
