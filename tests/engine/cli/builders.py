"""A clip with truth, as files."""

import numpy as np


def a_clip_with_truth(folder, count=6):
    """A source of a bright square on noise, and truth for it as a table."""
    rng = np.random.default_rng(0)
    stack = rng.normal(1000, 5, (count, 96, 128))
    lines = ["frame,x,y,w,h"]
    for i in range(count):
        x, y = 20 + 10 * i, 30
        stack[i, y : y + 12, x : x + 16] += 200
        lines.append(f"{i},{x + 1},{y + 1},16,12")
    np.save(folder / "clip.npy", stack.astype(np.uint16))
    (folder / "clip_boxes.csv").write_text("\n".join(lines))
    return folder / "clip.npy", folder / "clip_boxes.csv"
