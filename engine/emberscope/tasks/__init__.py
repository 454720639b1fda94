"""What can be asked of the engine: a request of each kind, its answer, and who answers.

The window, the worker and the command line know the engine by these records alone. A file holds the
questions about one subject. It imports what the records are made of; what answers is imported when
it is asked, in the worker, so that the window never loads it.

Two commands do not ask: `reproduce` prints each row of a table once it is measured, and keeps those
that it has where somebody stops it; `demo --headless` writes all that there is. An answer comes
whole, and both are programs of their own beside it that no window asks for.
"""

from emberscope.tasks.request import Request

__all__ = ["Request"]
