"""What the features alone say, where the method sees these and no distances of chips."""

from pathlib import Path

from emberscope.base.monitor import Monitor
from emberscope.course import advice
from emberscope.course.advice import OF_K, Advice
from emberscope.course.kept import kept_record
from emberscope.course.plan import Plan
from emberscope.course.runner import entry
from emberscope.course.stage import Cost, Given, Size, Stage
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.graph import GRAPH
from emberscope.course.versions import code_version
from emberscope.features.cache import digest


class OneAdvice(Stage[Advice]):
    """A kind of advice, kept by X, and by the neighbors of the method's graph where these matter."""

    inputs = (SEEN, GRAPH)
    kept = Advice

    def key(self, plan: Plan, given: Given) -> str:
        return self.key_of(given.key(SEEN), plan)

    def key_of(self, X: str, plan: Plan) -> str:
        """For the features of that key."""
        return digest([X, plan.graph_neighbors if self.name in OF_K else 0, code_version()])

    def needed(self, plan: Plan, given: Given) -> bool:
        return given[GRAPH] is not None and given[SEEN].distances is None

    def absent(self, plan: Plan, given: Given) -> Advice:
        return Advice({}, [])

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Advice:
        neighbors = given[GRAPH]
        assert neighbors is not None
        return advice.KINDS[self.name](given[SEEN].X, neighbors, plan.graph_neighbors, monitor)

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(2e-5 * min(size.n, 30_000))


ADVICE = tuple(OneAdvice(kind) for kind in advice.KINDS)


def kept_advice(X: str, plan: Plan, folder: Path) -> list[str]:
    """The sentences for features of a key that are on disk."""
    entries = [kept_record(folder / "stages", entry(stage, stage.key_of(X, plan)), kind=Advice) for stage in ADVICE]
    return advice.joined([found for found in entries if found is not None]).notes
