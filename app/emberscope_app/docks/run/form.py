"""The parameters of the chosen method in the Run dock, and what was typed for the others."""

from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope import catalogue
from emberscope.base.param import Param, defaults
from emberscope.project import Recipe
from emberscope_app.docks.run.fields import LoadingRows, ParamForm


class MethodForm(QWidget):
    """A form for one method at a time; rows that wait until the worker has said which parameters there are."""

    def __init__(self) -> None:
        super().__init__()
        self.form = ParamForm()
        self.loading = LoadingRows()
        self._params: dict[str, tuple[Param, ...]] = {}
        self._edited: dict[str, dict[str, Any]] = {}   # method -> values, so that looking at another loses nothing
        self._exact: set[str] = set()                  # methods whose values come from a recipe, which says all
        self._shown = ""                               # the method whose parameters the form shows
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.loading)
        column.addWidget(self.form)

    def take_params(self, params: dict[str, tuple[Param, ...]]) -> None:
        """The parameters of every method, from the worker."""
        self._params = params

    def take_recipe(self, recipe: Recipe) -> None:
        """What the form of its method shows from now on."""
        self._exact.add(recipe.method)
        self._edited[recipe.method] = {**recipe.params, **({"random_state": recipe.seed} if recipe.seed else {})}

    def forget(self) -> None:
        """Every method starts as it comes."""
        self._edited.clear()
        self._exact.clear()

    def remember(self, method: str) -> None:
        """Keep what was typed for the method, unless a value is wrong."""
        if self.shows(method) and not self.form.error():
            self._edited[method] = self.form.values()

    def shows(self, method: str) -> bool:
        """The form is that of the method; it comes with the catalogue."""
        return self._shown == method

    def show_method(self, method: str) -> None:
        params = self._params.get(method)
        self.loading.setVisible(params is None)
        self.form.setVisible(params is not None)
        self._shown = method if params is not None else ""
        if params is not None:
            usual = usual_values(method, params)
            start = defaults(params) if method in self._exact else usual
            self.form.show_params(params, {**start, **self._edited.get(method, {})}, usual)


def usual_values(method: str, params: tuple[Param, ...]) -> dict[str, Any]:
    """What the form starts with: the defaults, but three dimensions where the 3-D map can use them at no cost.

    Layouts are clearest in the plane, and a method that allows three at most pays dearly for the third.
    """
    usual = defaults(params)
    most = next((param.high for param in params if param.name == "n_components"), None)
    if usual.get("n_components") == 2 and catalogue.method(method).family != "layouts" and (most is None or most > 3):
        usual["n_components"] = 3
    return usual
