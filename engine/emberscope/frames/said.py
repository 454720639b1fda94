"""What a file says of camera, scene and itself, in words."""

from typing import Any

# what the program says of every source in other places, or keeps for itself
_OWN = {
    "object",
    "planck",
    "dataset",
    "other_datasets",
    "other_arrays",
    "array",
    "warnings",
    "n_frames",
    "rows",
    "cols",
    "truncated",
    "dtype",
    "bit_depth",
    "fps",
    "format",
    "units",
    "header",
    "first",
    "last",
    "bands",
    "stored_shape",
    "columns_first",
}
_LONGEST = 60  # characters of a fact


def said_rows(said: dict[str, Any]) -> list[tuple[str, str]]:
    """Rows of a title and words, of the facts in `FrameSource.meta`; nothing for what the file
    leaves out."""
    rows = []
    for name, value in said.items():
        if name in _OWN or value in (None, "", [], {}):
            continue
        inside = value.items() if isinstance(value, dict) else [("", value)]
        rows += [(f"{name} {key}".strip().capitalize(), _words(entry)) for key, entry in inside]
    planck = said.get("planck", {})
    if planck:
        scene = said.get("object", {})
        rows.append(("Object", ", ".join(f"{key} {value:g}" for key, value in scene.items())))
        rows.append(
            (
                "Constants",
                ", ".join(f"{key} {planck[key]:g}" for key in ("R1", "R2", "B", "F", "O")),
            )
        )
    return rows


def _words(value: Any) -> str:
    if isinstance(value, list):
        return " to ".join(
            f"{entry:g}" if isinstance(entry, int | float) else str(entry) for entry in value[:4]
        )
    words = f"{value:g}" if isinstance(value, float) else str(value)
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
