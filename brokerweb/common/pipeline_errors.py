"""Problems of bulk questions on Spark, and of their results."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from brokerweb.common.errors import WebProblem


class RunUnderWay(WebProblem):
    """The run has not ended, and this is for runs that have."""

    code = "run-under-way"
    usual_why = gettext_lazy("Its files are being written.")
    usual_cure = gettext_lazy("Cancel it, or wait until it has ended.")


class RunHasNoTables(WebProblem):
    """The run has not come to an end that left tables, or somebody has removed its files."""

    code = "run-has-no-tables"
    usual_why = gettext_lazy("A run writes its tables at its end, all of them or none.")
    usual_cure = gettext_lazy("Wait until it is done, or start it again.")


class ResultUnreadable(WebProblem):
    """The files of a table are there, and are not what was written."""

    code = "result-unreadable"
    usual_why = gettext_lazy("Its files are damaged, or somebody has replaced them.")
    usual_cure = gettext_lazy("Start the run again; the same question gives the same tables.")


class ResultTooCostly(WebProblem):
    """A question about a table takes more time, memory or room than one may."""

    code = "result-too-costly"
    usual_why = gettext_lazy("One question shall not take the machine from everybody else.")
    usual_cure = gettext_lazy("Filter the table, sort it the other way round, or download it and ask the file.")


class UploadUnwritable(WebProblem):
    """A file that somebody sends cannot be kept until its worker has time."""

    code = "upload-unwritable"
    usual_why = gettext_lazy("It waits in a folder for its worker.")
    usual_cure = gettext_lazy("See that there is room, and that the dashboard may write there; then send it again.")


class ResultUnwritable(WebProblem):
    """The folder of a run cannot be written."""

    code = "result-unwritable"
