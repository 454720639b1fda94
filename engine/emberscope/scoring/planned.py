"""What scoring clips would take, as it is said. Imports light: the questions of the program have it
as an answer."""

import msgspec


class ClipsPlan(msgspec.Struct, frozen=True):
    """clips : that can be scored, each a task that one process does. blocks : of frames, which are
    kept one by one. bytes : of the files. heat : bytes of heat that the cache would hold. seconds :
    about, on two cores. held : bytes of features and frames that one process holds at most. notes :
    sentences on the files, and on clips that cannot be scored."""

    clips: int
    frames: int
    blocks: int
    bytes: int
    heat: int
    seconds: float
    held: int
    notes: list[str]
