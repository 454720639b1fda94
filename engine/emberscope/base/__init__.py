"""What every room shares, and nothing else. `embedder` imports scikit-learn, so it is not imported
here."""

from emberscope.base.errors import (
    Cancelled,
    DataError,
    EmberscopeError,
    FormatError,
    MissingLabels,
    NoOutOfSample,
    ParamError,
    ProjectError,
    TooLarge,
    WorkerError,
)
from emberscope.base.monitor import Monitor, Portion, Silent, Watch, monitored
from emberscope.base.param import Param

__all__ = [
    "Cancelled", "DataError", "EmberscopeError", "FormatError", "MissingLabels", "Monitor",
    "NoOutOfSample", "Param", "ParamError", "Portion", "ProjectError", "Silent", "TooLarge",
    "Watch", "WorkerError", "monitored",
]
