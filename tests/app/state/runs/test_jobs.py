"""Jobs as the window sees them."""

import logging

from emberscope.jobs import Noted
from emberscope.tasks.trial import WaitUntilStopped


def test_a_warning_of_a_job_is_in_the_log_under_its_title(window, caplog):
    jobs = window.session.jobs
    job = jobs.ask(WaitUntilStopped(), title="Run PCA")
    with caplog.at_level(logging.WARNING):
        jobs._follow(job, Noted(job.id, "A damaged cache file was removed and is computed again."))
    assert caplog.messages == ["Run PCA: A damaged cache file was removed and is computed again."]
    assert job.state == "waiting"
