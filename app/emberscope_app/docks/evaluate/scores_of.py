"""Whose held-out scores the cards judge: those of the methods of the runs, or of their
classifiers."""

from PySide6.QtWidgets import QHBoxLayout, QWidget

from emberscope.findings.judged.levels import CLASSIFIER, METHOD
from emberscope_app.state.runs.evaluation import Evaluation
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Segmented, text

_ABOUT = ("Judge by the held-out scores of the method of each run, or of its classifier. Scored "
          "clips have scores of the method alone.")  # fmt: skip


class ScoresOf(QWidget):
    """Out of sight where no checked run has a classifier."""

    def __init__(self, evaluation: Evaluation) -> None:
        super().__init__()
        self._evaluation = evaluation
        self.choice = Segmented(((METHOD, "Method"), (CLASSIFIER, "Classifier")))
        self.choice.setAccessibleName("Whose scores are judged")
        self.choice.setToolTip(_ABOUT)
        self.choice.chosen.connect(lambda by: evaluation.show(by=by))
        row = QHBoxLayout(self)
        row.setContentsMargins(tokens.PAD, 8, tokens.PAD, 0)
        row.addWidget(text("Scores of", "title"))
        row.addStretch(1)
        row.addWidget(self.choice)

    def read(self) -> None:
        """Show what is judged."""
        found = self._evaluation
        runs = found.session.project.runs
        classified = any(runs[run].recipe.classifier for run in found.checked)
        self.setVisible(classified or found.by == CLASSIFIER)
        self.choice.set_value(found.by)
