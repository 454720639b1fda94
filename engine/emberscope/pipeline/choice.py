"""The number that a recipe was chosen by: a run of it carries it, marked as what it is."""

import msgspec

from emberscope.project.model.project import Run

CHOSEN = "chosen_bag_auc"  # a metric: of held-out bags, in the trial that chose the recipe
_NOTE = (
    "This recipe was chosen by held-out bags of these labels: an area that was used for choosing "
    "is optimistic. Label frames that took no part, and run it again."
)


def with_choice(run: Run, area: tuple[float, float, float] | None) -> Run:
    """The run of a recipe that was suggested, with what the suggestion knew of it.

    Parameters
    ----------
    area : `Suggestion.area`, the area under the ROC curve of held-out bags and the ends of its 95 %
        interval; None where nothing was tried, and the run stays as it is.

    Returns
    -------
    run : with a note that its recipe was chosen, and the metrics "chosen_bag_auc",
        "chosen_bag_auc_low" and "chosen_bag_auc_high" where the run did not hold out bags itself:
        one claim has one number.
    """
    if area is None:
        return run
    known = "method_bag_auc" in run.metrics
    carried = (
        {} if known else dict(zip((CHOSEN, f"{CHOSEN}_low", f"{CHOSEN}_high"), area, strict=True))
    )
    return msgspec.structs.replace(
        run, metrics={**run.metrics, **carried}, notes=[*run.notes, _NOTE]
    )
