"""Parameters, declared once: they check values, and forms, command help and docs are made of
them."""

import inspect
import numbers
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from emberscope.base.errors import ParamError

# NaN and infinite numbers are not below it
_LARGEST = {"int": 2**63 - 1, "float": sys.float_info.max}
_TYPES = {"int": int, "float": float, "str": str, "bool": bool}


@dataclass(frozen=True, slots=True)
class Param:
    """One hyper-parameter.

    Parameters
    ----------
    name : str. The attribute and keyword name.
    type : str. One of "int", "float", "str", "bool".
    default : the value used when nothing is given; None means `auto`.
    low, high : inclusive limits (`open_low`, `open_high` make them exclusive).
    choices : allowed values, if limited.
    unit : str. Unit shown after the value.
    title : str. Label in forms, sentence case.
    group : str. Heading the parameter belongs to.
    help : str. One sentence, the tooltip.
    auto : str. What None means, in words; empty when None is not allowed.
    when : (name, value). Applies only when that other parameter has that value.
    advanced : bool. Hidden behind the fold.
    grid : values among which `emberscope classify` chooses, in an inner loop, where the value is
        given as auto.
    """

    name: str
    type: str
    default: Any = None
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: tuple[Any, ...] = ()
    unit: str = ""
    title: str = ""
    group: str = ""
    help: str = ""
    auto: str = ""
    when: tuple[str, Any] | None = None
    advanced: bool = False
    grid: tuple[Any, ...] = ()

    @property
    def label(self) -> str:
        """What a form calls it: the title, else the name with blanks."""
        return self.title or self.name.replace("_", " ").capitalize()

    @property
    def range_text(self) -> str:
        """The allowed values in words, e.g. "0 - 1", "2 or more", "heat or binary"."""
        if self.choices:
            return " or ".join(str(choice) for choice in self.choices)
        low, high = (_written(limit) for limit in (self.low, self.high))
        if low and high:
            return f"{low} - {high}"
        if low:
            return f"above {low}" if self.open_low else f"{low} or more"
        if high:
            return f"below {high}" if self.open_high else f"{high} or less"
        return {"int": "a whole number", "float": "a number", "bool": "on or off",
                "str": "text"}[self.type]

    @property
    def default_text(self) -> str:
        """The default in words, e.g. "15", "on", "auto: the median distance"."""
        if self.default is None:
            return f"auto: {self.auto}"
        if isinstance(self.default, bool):
            return "on" if self.default else "off"
        if isinstance(self.default, float):
            return f"{self.default:g}"
        return str(self.default) or "none"

    @property
    def meaning(self) -> str:
        """Title, help, the condition under which it applies and the values to try, as sentences."""
        only = f" Only with {self.when[0]} = {self.when[1]}." if self.when else ""
        tried = (f" Values to try: {', '.join(str(value) for value in self.grid)}." if self.grid
                 else "")
        return f"{self.label}. {self.help}{only}{tried}"

    def check(self, value: Any) -> None:
        """Raise ParamError unless `value` is allowed."""
        if value is None:
            if self.auto:
                return
            raise self._refuse(value)
        if not self._has_type(value):
            raise self._refuse(value)
        if self.choices and value not in self.choices:
            raise self._refuse(value)
        if self.type in ("int", "float") and not (abs(value) <= _LARGEST[self.type]
                                                  and self._in_range(float(value))):
            raise self._refuse(value)

    def parse(self, text: str) -> Any:
        """Read a value typed by a person; "auto" means None where that is allowed."""
        text = text.strip()
        if self.auto and text.lower() in ("auto", "none", ""):
            return None
        try:
            value = _read(self.type, text)
        except ValueError:
            raise self._refuse(text) from None
        self.check(value)
        return value

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the GUI, JSON and docs."""
        return asdict(self)

    def _has_type(self, value: object) -> bool:
        if self.type == "bool":
            return isinstance(value, bool) or type(value).__name__ == "bool_"
        if self.type == "int":
            return isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if self.type == "float":
            return isinstance(value, numbers.Real) and not isinstance(value, bool)
        return isinstance(value, str)

    def _in_range(self, value: float) -> bool:
        if self.low is not None and (value < self.low or (self.open_low and value == self.low)):
            return False
        return not (self.high is not None
                    and (value > self.high or (self.open_high and value == self.high)))

    def _refuse(self, value: object) -> ParamError:
        auto = ", or auto" if self.auto else ""
        beside = "".join(
            f", not {_written(limit)} itself"
            for limit, is_open, other in ((self.low, self.open_low, self.high),
                                          (self.high, self.open_high, self.low))
            if is_open and value == limit and other is not None
        )
        return ParamError(f"{self.name} is {_shown(value)}",
                          hint=f"Give {self.range_text}{beside}{auto}.")


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no number of more than 4300 digits
        return "a number of thousands of digits"


def _written(limit: float | None) -> str:
    """A limit in digits; "" for none."""
    if limit is None:
        return ""
    return str(int(limit)) if float(limit).is_integer() else f"{limit:g}"


def _read(kind: str, text: str) -> Any:
    if kind == "bool":
        if text.lower() in ("true", "yes", "on", "1"):
            return True
        if text.lower() in ("false", "no", "off", "0"):
            return False
        raise ValueError(text)
    return _TYPES[kind](text)


def param(default: Any = None, **declared: Any) -> Any:
    """Declare a parameter as a field of an estimator, `width: float = param(0.5, low=0,
    help="...")`.

    The field gives the name and the annotation the type; `declared` is the rest of `Param`. A
    default of None stands for `auto`, which then says what it means, and the annotation allows
    None.
    """
    return Param("", "", default, **declared)


def check_params(params: Iterable[Param], values: Mapping[str, Any]) -> None:
    """Check each declared parameter present in `values`; unknown names raise ParamError."""
    known = {param.name: param for param in params}
    for name, value in values.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise ParamError(f"there is no parameter {name}", hint=f"Known parameters: {names}.")
        known[name].check(value)


def documented(doc: str, params: Iterable[Param]) -> str:
    """The docstring of a method, dedented, with a numpydoc section of its parameters before
    Attributes or Notes."""
    doc = inspect.cleandoc(doc)
    heading = re.search(r"^(?:Attributes|Notes)\n-+\n", doc, re.MULTILINE)
    at = heading.start() if heading else len(doc)
    section = ["Parameters", "----------", *map(_entry, params)]
    return "\n".join([doc[:at].rstrip("\n"), "", *section, "", doc[at:]])


def _entry(param: Param) -> str:
    """One parameter of a docstring: type, default, range and unit on the first line, then what it
    means."""
    unit = f", {param.unit}" if param.unit else ""
    meaning = textwrap.fill(param.meaning, 116, initial_indent="    ", subsequent_indent="    ")
    return (
        f"{param.name} : {param.type}, {param.range_text}{unit}, default "
        f"{param.default_text}\n{meaning}"
    )


def defaults(params: Iterable[Param]) -> dict[str, Any]:
    """Name to default value."""
    return {param.name: param.default for param in params}


# Parameters that many methods share; `dataclasses.replace` adapts them.
N_COMPONENTS = param(
    2, low=1, high=512, title="Dimensions", group="Embedding",
    help="Number of coordinates of the embedding; 2 or 3 to look at, more to classify in.",
)
N_NEIGHBORS = param(
    15, low=1, high=2000, title="Neighbors k", group="Graph",
    help="Neighbors of each instance in the neighborhood graph.",
)
RANDOM_STATE = param(
    0, low=0, high=2**31 - 1, title="Seed", group="Computation", advanced=True,
    help="Same seed, same embedding.",
)
