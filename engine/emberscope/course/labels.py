"""What is known of instances: what judges, and what methods learn from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags, Instances


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of N instances, and bags of them.

    y : (N,) in {-1, 0, +1}, by which an embedding is judged. known : (N,) or None, the labels that
    methods are fitted with that read labels of instances; certain : the same for methods that read
    bags. instances : where they lie, or None. groups : (K,) bags that are held out together where
    that is not known.
    """

    y: NDArray
    bags: Bags | None
    known: NDArray | None
    certain: NDArray | None
    instances: Instances | None = None
    groups: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, made: MadeBags) -> "Labels":
        """Those of a project.

        A method that reads bags gets only what is certain; that an instance lies in a positive bag
        it knows from the bags, and what follows is what it is there to find out.
        """
        certain = np.where(made.certain, made.y, 0).astype(np.int8)
        return cls(made.y, made.bags, made.y, certain, made.instances)

    def known_to(self, row: catalogue.Method) -> NDArray | None:
        """(N,) labels that a method is fitted with: those it takes for true; None for none."""
        return self.known if row.needs in ("none", "instance") else self.certain


def known_labels(made: MadeBags, row: catalogue.Method) -> NDArray[np.int8]:
    """(N,) labels of a project that a method is fitted with."""
    found: NDArray[np.int8] | None = Labels.of(made).known_to(row)
    assert found is not None
    return found


def labeled(signs: NDArray, bags: Bags | None) -> set[str]:
    """Which of the kinds of labels that methods need there are. signs : of bags (K,), or of
    instances (N,)."""
    found = {kind for kind, sign in ((catalogue.TARGET, 1), (catalogue.BACKGROUND, -1))
             if (signs == sign).any()}
    classes = () if bags is None else np.unique(bags.classes[bags.labels > 0])
    return found | ({catalogue.SECOND_CLASS} if len(classes) > 1 else set())
