"""Problems of jobs beside those in `errors.py`."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from brokerweb.common.errors import WebProblem


class TooManyJobs(WebProblem):
    """The person has as many jobs queued or running as one can have at once."""

    code = "too-many-jobs"
    usual_why = gettext_lazy("Jobs share the threads of the process that runs the brokers.")
    usual_cure = gettext_lazy("Wait until one of your jobs has ended, or cancel one.")
