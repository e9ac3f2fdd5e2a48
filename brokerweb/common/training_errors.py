"""Problems of the operator training beside those in `errors.py`."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from brokerweb.common.errors import TrainingOver, WebProblem


class TooManyRuns(WebProblem):
    """So many runs are under way that no further one begins; `parameters` say how many are allowed."""

    code = "too-many-runs"
    usual_why = gettext_lazy("Every run is a simulation that takes memory and time of the processor.")
    usual_cure = gettext_lazy("Finish a run that you do not need any more, then begin this one.")


class ScriptRuns(WebProblem):
    """A script runs in the training session, and the next one waits for its end."""

    code = "script-runs"
    usual_why = gettext_lazy("One script at a time runs in a session over HTTP, because it holds what it answers.")
    usual_cure = gettext_lazy("Wait for its answer, then send the next script.")


class ReplayRemoved(WebProblem):
    """The run has ended, and its log has made room for those of other runs."""

    code = "replay-removed"
    usual_why = gettext_lazy("Replays of one person and of all take a bounded room on the disk; the oldest go first.")
    usual_cure = gettext_lazy("Read its result, which stays, or play the scenario again.")


def training_over() -> TrainingOver:
    """The problem of whoever acts in a session that has ended."""
    return TrainingOver(_("This run has ended; nothing can be done in it any more."))
