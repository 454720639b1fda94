"""Who answers which request: every question that can be asked of the engine, and nothing else."""

from emberscope.tasks.by_name import Call, call
from emberscope.tasks.methods import DescribeMethods, describe_methods
from emberscope.tasks.request import Table
from emberscope.tasks.runs import EstimateRun, MakeRun, estimate_run, make_run
from emberscope.tasks.trial import AddOne, WaitUntilStopped, add_one, wait_until_stopped

TABLE = Table({
    DescribeMethods: describe_methods,
    EstimateRun: estimate_run,
    MakeRun: make_run,
    AddOne: add_one,
    WaitUntilStopped: wait_until_stopped,
    Call: call,
})  # fmt: skip
