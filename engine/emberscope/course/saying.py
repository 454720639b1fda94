"""A stage that says something of an embedding and its labels."""

from emberscope.course.plan import Plan
from emberscope.course.scores import Scores
from emberscope.course.stage import Given, Stage


class Saying(Stage[Scores]):
    """Its result is kept where it has a key."""

    kept = Scores

    def absent(self, plan: Plan, given: Given) -> Scores:
        return Scores()
