"""What the actions of a point set are on its map: motions, what undoes what, what comes next, ways,
and where new views are."""

from collections.abc import Sequence as Several
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor
from emberscope.datasets.model import Points
from emberscope.embedding.unfolding.are import ARE
from emberscope.findings.motions import in_turn

Arrays = dict[str, NDArray]


def point_actions(
    method: Any, points: Points, *, ways: Several[tuple[int, int]] = (),
    together: Several[str] = (), monitor: Monitor | None = None,
) -> tuple[Arrays, dict[str, list[dict[str, Any]]]]:
    """What a fitted ARE says of actions; empty for a method that knows none.

    ways : (from, to) rows. together : actions in turn, with commas between them.

    Returns
    -------
    arrays : places (N, m), where motions act, the dimensions of the map first; action_name (A,),
        action_turn (A, m, m) and action_shift (A, m), so that place turn + shift is where it leads,
        action_count and action_residual (A,), action_next (N, A), the row that
        is expected from each row by each action, -1 where none is; undone_by (P, 2), pairs of names
        of which the second undoes the first; way_1, way_2 ... (n + 1, m), the places along each
        way; together_turn, together_shift. Where points.new_actions are given, located (M,), the
        row where each row of X_new is, located_Z (M, m), located_sure (M,).
    records : actions, ways, together, a record each.

    Raises ParamError for ways, or actions in turn, of a method that knows no actions; DataError for
    a row or an action that is not there.
    """
    if not isinstance(method, ARE):
        if ways or together or points.new_actions is not None:
            raise ParamError("the method knows no actions",
                             hint="Ways and actions in turn are of --method are.")
        return {}, {}
    arrays, records = _motions(method)
    found = [method.way(*ends) for ends in ways]
    arrays |= {f"way_{k}": way.places for k, way in enumerate(found, 1) if way is not None}
    if ways:
        records["ways"] = [
            {"from": ends[0], "to": ends[1], "actions": "no way" if way is None
             else in_turn(way.actions), "row": -1 if way is None else way.row,
             "miss": None if way is None else way.miss}
            for ends, way in zip(ways, found, strict=True)
        ]  # fmt: skip
    if together:
        whole = [method.composed(*(name.strip() for name in names.split(",")))
                 for names in together]
        arrays |= {"together_turn": np.array([one.turn for one in whole]),
                   "together_shift": np.array([one.shift for one in whole])}
        records["together"] = [{
            "actions": one.action, "degrees": float(one.angles[0]) if len(one.angles) else 0.0,
            "shift": float(np.linalg.norm(one.shift)),
        } for one in whole]
    if points.X_new is not None and points.new_actions is not None:
        there = method.locate(points.X_new, points.new_actions, monitor=monitor)
        arrays |= {"located": there.rows, "located_Z": there.Z, "located_sure": there.sure}
    return arrays, records


def _motions(method: ARE) -> tuple[Arrays, dict[str, list[dict[str, Any]]]]:
    motions, pairs = method.operators(), method.inverses()
    rows = np.arange(len(method.embedding_))
    following = [method.next_rows(rows, motion.action) for motion in motions]
    arrays = {
        "places": method.places,
        "action_name": np.array([motion.action for motion in motions], np.str_),
        "action_turn": np.array([motion.turn for motion in motions]),
        "action_shift": np.array([motion.shift for motion in motions]),
        "action_count": np.array([motion.count for motion in motions]),
        "action_residual": np.array([motion.residual for motion in motions]),
        "action_next": np.array(following).T,
        "undone_by": np.array([(pair.first, pair.second) for pair in pairs],
                              np.str_).reshape(-1, 2),
    }
    undoes = {pair.first: pair.second for pair in reversed(pairs)} | {
        pair.second: pair.first for pair in reversed(pairs)}
    records = [{
        "action": motion.action, "count": motion.count, "residual": motion.residual,
        "degrees": float(motion.angles[0]) if len(motion.angles) else 0.0,
        "shift": float(np.linalg.norm(motion.shift)), "undone by": undoes.get(motion.action, ""),
    } for motion in motions]
    return arrays, {"actions": records}
