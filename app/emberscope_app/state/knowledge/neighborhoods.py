"""What is said of neighbors before and after a metric, and of triplets."""

from emberscope.findings.neighborhoods import Neighborhoods

HARDNESS = ("easy", "semi-hard", "hard")  # by number, as in `metric.triplet_rows`


def is_impostor(found: Neighborhoods, row: int, neighbor: int) -> bool:
    """Whether a neighbor is known to be of the other kind."""
    return int(found.kind[row]) * int(found.kind[neighbor]) < 0


def impostor_words(found: Neighborhoods, row: int) -> str:
    """"impostors 5 before, 1 after"; "" for a chip of unknown kind."""
    before, after = (int(count) for count in found.impostors[row])
    return f"impostors {before} before, {after} after" if before >= 0 else ""


def strip_titles(found: Neighborhoods) -> tuple[str, str]:
    """Names of the two rows of chips."""
    return "Nearest in the features", f"Nearest by {found.space}"


def triplet_words(found: Neighborhoods, at: int) -> str:
    """"Hard: negative at 0.80, positive at 1.20"."""
    triplets = found.triplets
    what = HARDNESS[int(triplets.hardness[at])].capitalize()
    return f"{what}: negative at {triplets.far[at]:.2f}, positive at {triplets.near[at]:.2f}"


def count_words(found: Neighborhoods) -> str:
    """"60 hard, 12 semi-hard"; "" without triplets."""
    counts = [int((found.triplets.hardness == value).sum()) for value in (2, 1, 0)]
    return ", ".join(
        f"{count} {HARDNESS[value]}"
        for value, count in zip((2, 1, 0), counts, strict=True)
        if count
    )
