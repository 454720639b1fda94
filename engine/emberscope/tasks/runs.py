"""Questions about how a run is made: make it, what would it take, does it come out the same."""

from emberscope.base.monitor import Monitor
from emberscope.course.estimate import Estimate
from emberscope.project.model.made_by import Replayed
from emberscope.project.model.project import Run
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.tasks.request import AboutRun, Request


class MakeRun(Request[Run], frozen=True, kw_only=True):
    """Run a recipe on a project.

    snapshot : of the project (`project.to_snapshot`), which has no runs. run_id : of the run that
    is made, by default the project's next one. previous : the run whose embedding a layout goes on
    from. at_any_cost : also what takes long and is else left out. chosen : the area of held-out
    bags, with the ends of its interval, that the recipe was chosen by.
    """

    snapshot: Snapshot
    recipe: Recipe
    run_id: int | None = None
    previous: Run | None = None
    at_any_cost: bool = False
    chosen: tuple[float, float, float] | None = None


class EstimateRun(Request[Estimate], frozen=True, kw_only=True):
    """What a run would take, and the advice about its data. Fields as of `MakeRun`."""

    snapshot: Snapshot
    recipe: Recipe


class ReplayRun(AboutRun[Replayed], frozen=True, kw_only=True):
    """Make a run again and compare. previous : the run whose embedding it went on from."""

    previous: Run | None = None


def make_run(request: MakeRun, monitor: Monitor) -> Run:
    """The run, see `pipeline.run`."""
    from emberscope.pipeline.choice import with_choice
    from emberscope.pipeline.project_run import run

    made = run(
        from_snapshot(request.snapshot), request.recipe, monitor=monitor, run_id=request.run_id,
        previous=request.previous, at_any_cost=request.at_any_cost,
    )  # fmt: skip
    return with_choice(made, request.chosen)


def estimate_run(request: EstimateRun, monitor: Monitor) -> Estimate:
    """The estimate. Its advice is empty until a run has looked at the data with as many neighbors.
    """
    from emberscope.course.cost import estimate

    return estimate(from_snapshot(request.snapshot), request.recipe)


def replay_run(request: ReplayRun, monitor: Monitor) -> Replayed:
    """What the replay found, see `pipeline.replay`."""
    from emberscope.pipeline.replay import replay

    project = from_snapshot(request.snapshot)
    return replay(project, request.run, previous=request.previous, monitor=monitor)
