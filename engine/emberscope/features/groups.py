"""What a feature looks at, by the name of its column: a family, and a channel of it."""

import re

EDGES, LEVELS = "edges", "gray levels"
_ANGLE = re.compile(r"(?:edge cell|hog block) .*?([\d.]+) deg")
_TILE = re.compile(r"tile (\d+),(\d+)")
_BAND = re.compile(r"band \d+: ")  # features look at the same in all of them
_HALF_BIN = 10.0  # degrees from where the bins of `infrared` begin to their middle
# edges where gradients point to 0, 45, 90, 135
_DIRECTIONS = ("vertical", "diagonal", "horizontal", "antidiagonal")
_OTHERS = tuple((re.compile(pattern), family, channel) for pattern, family, channel in (
    (r"ehd cell \d+,\d+ (?P<what>.+)", EDGES, "{what}"),
    (r"pixel \d+,\d+", "pixels", "all"), (r"cnn \d+", "network", "all"),
    (r"ring [01] .*", "rings", "inner"), (r"ring [23] .*", "rings", "middle"),
    (r"ring \d+ .*", "rings", "outer"), (r"spot \S+ (?P<what>.+)", "spots", "{what}"),
    (r"(?P<what>hotter|colder) than .*", "changes over time", "{what}"),
    (r"level|spread|gradient of patch and surround", "patch and surround", "all"),
    (r"center .*|hottest minus surround|hot share", LEVELS, "center against surround"),
    (r"mean|sd|skewness|kurtosis|minimum|maximum|percentile \d+", LEVELS, "distribution"),
    (r"lbp .*|entropy|local entropy", "texture", "all"),
    (r"gradient.*|coherence|orientation .*", EDGES, "of the whole patch"),
))


def group_of(name: str) -> tuple[str, str]:
    """("spots", "hottest"): family and channel of a feature; ("others", "all") of one that nobody
    described.

    Edges go by their direction, which is across that of their gradient; tiles by whether they lie
    in the inner half.
    """
    name = _BAND.sub("", name)
    if angle := _ANGLE.fullmatch(name):
        return EDGES, _DIRECTIONS[round((float(angle[1]) + _HALF_BIN) / 45) % 4]
    if tile := _TILE.fullmatch(name):
        inner = all(2 <= int(at) < 6 for at in tile.groups())
        return "tiles", "center" if inner else "rim"
    for pattern, family, channel in _OTHERS:
        if found := pattern.fullmatch(name):
            return family, channel.format(**found.groupdict())
    return "others", "all"
