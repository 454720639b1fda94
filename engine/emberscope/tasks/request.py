"""What a request is, and the table of who answers it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar, get_args, get_origin

import msgspec

from emberscope.base.errors import WorkerError
from emberscope.base.monitor import Monitor
from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import Snapshot
from emberscope.tasks.crossing import across

A = TypeVar("A")


class Request(msgspec.Struct, Generic[A], frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to the engine as a record; A is the class of its answer.

    Fields are plain data, records and arrays. Where the dtype of an array is declared, it is
    checked as everything else is.
    """


class AboutRun(Request[A], Generic[A], frozen=True, kw_only=True):
    """A question about a run. snapshot : of its project (`project.to_snapshot`)."""

    snapshot: Snapshot
    run: Run


Handler = Callable[[Any, Monitor], Any]  # (request, monitor) -> its answer


def answer_class(kind: type[Request[A]]) -> type[A]:
    """The class of the answers to a kind of request: Run for ``class MakeRun(Request[Run])``."""
    for base in getattr(kind, "__orig_bases__", ()):
        if isinstance(get_origin(base), type) and issubclass(get_origin(base), Request):
            return get_args(base)[0]
    raise TypeError(f"{kind.__name__} does not say what its answer is: derive it from Request[...]")


class Table:
    """Who answers requests of each kind. A worker answers those in its table, and nothing else."""

    def __init__(self, handlers: Mapping[type[Request[Any]], Handler]) -> None:
        self._handlers = dict(handlers)
        self._kinds = {kind.__name__: kind for kind in self._handlers}

    def __iter__(self) -> Iterator[type[Request[Any]]]:
        return iter(self._handlers)

    def __or__(self, more: Mapping[type[Request[Any]], Handler]) -> "Table":
        """This table with more questions, those of tests say."""
        return Table({**self._handlers, **more})

    def kind(self, name: str) -> type[Request[Any]]:
        """The class of requests of that name. Raises WorkerError where nobody answers them."""
        if name not in self._kinds:
            raise WorkerError(f"{name} is no question that the engine answers",
                              hint="The table emberscope.tasks.table says what it answers.")
        return self._kinds[name]

    def handler(self, kind: type[Request[Any]]) -> Handler:
        """What answers requests of a kind. Raises WorkerError where nobody does."""
        if self.kind(kind.__name__) is not kind:
            what = f"{kind.__module__}.{kind.__name__} is not the question of that name"
            raise WorkerError(what, hint="The table emberscope.tasks.table has another one.")
        return self._handlers[kind]

    def answer(self, request: Request[A], monitor: Monitor) -> A:
        """The answer to a request, here and now: checked as it is where a process is between.

        Raises QuestionError for a field, and for an answer, of another type than declared,
        WorkerError where nobody answers, and what the handler raises.
        """
        kind = type(request)
        handler = self.handler(kind)
        return across(handler(across(request, kind), monitor), answer_class(kind))
