"""What is said about a round of imputed labels. No Qt."""

import numpy as np

from emberscope.findings.imputed_rounds import Rounds
from emberscope_app.words import counted, spaced


def round_words(rounds: Rounds, number: int) -> str:
    """"Round 3 of 8: 41 instances flipped, 212 are target; kept"."""
    targets = int(np.count_nonzero(rounds.at(number) > 0))
    many = f"{counted(rounds.flipped(number), 'instance')} flipped, "
    stage = f"Round {number} of {rounds.last}: {many}" if number else "At the start: "
    kept = "; kept" if number == rounds.kept else ""
    return f"{stage}{spaced(targets)} {'is' if targets == 1 else 'are'} target{kept}"
