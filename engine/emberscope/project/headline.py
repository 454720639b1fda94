"""The numbers that are named first, in words: held-out bag AUC and witness found, with their intervals."""

import math
from collections.abc import Mapping

Metrics = Mapping[str, float]
MADE_FROM = "made from these labels"
NAMES = {  # of the numbers of a run, for a person; others go by their key
    "method_bag_auc": "Held-out bag AUC", "witness_found": "Witness found",
    "knn_balanced": "k-NN against labels of bags", "trustworthiness": "Trust", "continuity": "Continuity",
    "r_nx_auc": "Agreement", "q_nx": "Nearest kept", "lcmc": "Nearest kept, above chance",
    "spearman_global": "Far distances", "stress": "Stress", "spread": "Spread", "purity": "Purity",
    "intrinsic_dimension": "Dimensions of the data", "short_circuits": "Short circuits",
    "bag_auc": "Classifier, bag AUC", "bag_accuracy": "Classifier, bag accuracy",
}


def named(key: str) -> str:
    """"agreement (r_nx_auc)": as the window names a number of a run, and as files and --json do."""
    if key not in NAMES:
        return key
    name = NAMES[key][:1].lower() + NAMES[key][1:]
    return name if name == key else f"{name} ({key})"


def with_interval(metrics: Metrics, key: str, *, digits: int = 2) -> str:
    """"0.84 (0.61 – 0.94)", the interval of 95 % where it is known; "" where there is no number."""
    value = metrics.get(key, math.nan)
    if not math.isfinite(value):
        return ""
    low, high = (metrics.get(f"{key}_{end}", math.nan) for end in ("low", "high"))
    interval = f" ({low:.{digits}f} \u2013 {high:.{digits}f})" if math.isfinite(low + high) else ""
    return f"{value:.{digits}f}{interval}"


def held_out_words(metrics: Metrics) -> str:
    """"held out by clip, 4 clips" or "held out by blocks of frames, 12 blocks"; "" where no bag was held out."""
    if not math.isfinite(metrics.get("method_bag_auc", math.nan)):
        return ""
    count = _count(metrics, "method_bag_groups")
    by_clip = metrics.get("method_bag_by_clip", 0) > 0
    return f"held out by clip, {count} clips" if by_clip else f"held out by blocks of frames, {count} blocks"


def chance_words(metrics: Metrics) -> str:
    """"chance 0.44, 120 bags" of the witnesses found; "" where truth is not known."""
    if not math.isfinite(metrics.get("witness_found", math.nan)):
        return ""
    return f"chance {metrics['witness_found_chance']:.2f}, {_count(metrics, 'witness_found_bags')} bags"


def _count(metrics: Metrics, key: str) -> int:
    """A whole number; 0 where it is none, as in a project that something else wrote."""
    value = metrics.get(key, 0)
    return round(value) if math.isfinite(value) else 0


def made_from_words(metrics: Metrics) -> str:
    """"made from these labels" for an embedding whose method read labels, else ""."""
    return MADE_FROM if metrics.get("made_from_labels", 0) > 0 else ""
