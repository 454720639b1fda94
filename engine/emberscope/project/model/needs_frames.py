"""What a project of point sets cannot do, said in one way."""

from emberscope.base.errors import ProjectError
from emberscope.project.model.project import Project


def need_frames(project: Project, what: str) -> None:
    """Raise ProjectError where a project has points instead of frames. what : needs them, in the
    plural, as "scored clips"."""
    if project.of_points:
        raise ProjectError(
            f"{what} need frames, and this project has points",
            hint="Points are judged by evaluate, and written by export --to csv, npz or bags.",
        )
