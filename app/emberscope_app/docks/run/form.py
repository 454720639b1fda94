"""The parameters of the chosen method in the Run dock."""

from collections.abc import Mapping

from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope.base.param import Param
from emberscope_app.docks.run.fields import LoadingRows, ParamForm
from emberscope_app.state.runs.run_params import usual_values


class MethodForm(QWidget):
    """A form for one method at a time; rows that wait until the worker has sent the parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.form = ParamForm()
        self.loading = LoadingRows()
        self._shown = ""  # the method whose parameters the form shows
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.loading)
        column.addWidget(self.form)

    def shows(self, method: str) -> bool:
        """The form is that of the method; it comes with the parameters."""
        return self._shown == method

    def show_method(
        self, method: str, params: tuple[Param, ...] | None, values: Mapping[str, object]
    ) -> None:
        """params : None where they are not known yet. values : name to value of each."""
        self.loading.setVisible(params is None)
        self.form.setVisible(params is not None)
        self._shown = method if params is not None else ""
        if params is not None:
            self.form.show_params(params, values, usual_values(method, params))
