"""A run as a command: what somebody else types to make it again."""

import shlex

from emberscope.project.model.project import Run
from emberscope.project.model.recipe import to_toml

_END = "RECIPE"


def run_command(run: Run, project: str = "") -> str:
    """The command for a shell, with the recipe inside. project : its file; where it lies in none,
    a word that stands for it."""
    named = shlex.quote(project) if project else "PROJECT"
    return f"emberscope run - --project {named} <<'{_END}'\n{to_toml(run.recipe)}{_END}\n"
