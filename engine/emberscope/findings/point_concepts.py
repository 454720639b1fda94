"""The target concepts of a method that was fitted to a point set: arrays for a file, and a record
of each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.mil.concepts.profile import feature_weights, feature_widths

_PER_CONCEPT = ("coverage_", "contrast_", "purity_")


def point_concepts(
    method: Any, X: NDArray, bags: Bags | None
) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """What a fitted method found in the rows of X (N, D); empty for a method without concepts.

    Returns
    -------
    arrays : concept_centers, concept_widths (K, D), in units of the features, inf where a feature
        does not count; concept_weights (K, D), see `feature_weights`; concept_memberships (K, B)
        of bags, concept_gains (n,), the gain curve, concept_objectives (R,), after every round,
        and concept_paths (R + 1, K', d), where centers lay on the map, of a method that has them.
    records : under "concepts", a concept each, strongest first, counted from 1:
        coverage, contrast, purity and bags (the sum of its memberships of positive bags) as far as
        the method knows them; and concepts_suggested, how many the gain curve suggests.
    """
    found = getattr(method, "concepts", None)
    if found is None or bags is None or not len(found):
        return {}, {}
    background = X[bags.instance_labels(len(X)) < 0]
    arrays = {
        "concept_centers": found.centers, "concept_widths": feature_widths(found),
        "concept_weights": feature_weights(found, background),
    }
    kept = {"concept_memberships": "memberships_", "concept_gains": "gains_",
            "concept_objectives": "objectives_", "concept_paths": "paths_"}
    arrays |= {name: np.asarray(getattr(method, own)) for name, own in kept.items()
               if hasattr(method, own)}
    records: list[dict[str, Any]] = [{"concept": k + 1} for k in range(len(found))]
    numbers = {own.removesuffix("_"): getattr(method, own) for own in _PER_CONCEPT
               if hasattr(method, own)}
    if "concept_memberships" in arrays:
        shared = arrays["concept_memberships"][:, bags.labels > 0]
        numbers["bags"] = np.nansum(shared, axis=1)
    for name, values in numbers.items():
        for record, value in zip(records, values, strict=True):
            record[name] = float(value)
    suggested = getattr(method, "suggested_", None)
    more = {} if suggested is None else {"concepts_suggested": int(suggested)}
    return arrays, {"concepts": records, **more}
