"""Titles of problems, by their status or their code."""

from __future__ import annotations

from http import HTTPStatus

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

TITLES: dict[HTTPStatus, str | Promise] = {
    HTTPStatus.BAD_REQUEST: gettext_lazy("The request could not be read"),
    HTTPStatus.UNAUTHORIZED: gettext_lazy("Nobody is logged in"),
    HTTPStatus.FORBIDDEN: gettext_lazy("Your role does not allow this"),
    HTTPStatus.NOT_FOUND: gettext_lazy("There is no such object"),
    HTTPStatus.CONFLICT: gettext_lazy("Something of that name exists already"),
    HTTPStatus.PRECONDITION_FAILED: gettext_lazy("The estate has changed meanwhile"),
    HTTPStatus.UNPROCESSABLE_ENTITY: gettext_lazy("The engine refused this"),
    HTTPStatus.PRECONDITION_REQUIRED: gettext_lazy("The revision is missing"),
    HTTPStatus.SERVICE_UNAVAILABLE: gettext_lazy("The engine did not answer"),
    HTTPStatus.METHOD_NOT_ALLOWED: gettext_lazy("This address does not take that method"),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: gettext_lazy("The request is too large"),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: gettext_lazy("The request is not JSON"),
    HTTPStatus.TOO_MANY_REQUESTS: gettext_lazy("Too many attempts"),
    HTTPStatus.INTERNAL_SERVER_ERROR: gettext_lazy("The dashboard failed"),
    HTTPStatus.INSUFFICIENT_STORAGE: gettext_lazy("The disk is full"),
}
TITLES_BY_CODE: dict[int | str, str | Promise] = {
    "csrf": gettext_lazy("The request does not come from the dashboard's own page"),
    "no-address": gettext_lazy("There is nothing at this address"),
    "bad-field": gettext_lazy("A field of the request is not as it should be"),
    "assertion-changed": gettext_lazy("The assertion has changed meanwhile"),
    "assertion-name-taken": gettext_lazy("There is an assertion of that name"),
    "assertions-unreadable": gettext_lazy("The file of assertions has mistakes"),
    "nothing-claimed": gettext_lazy("The assertion claims nothing"),
    "too-many-assertions": gettext_lazy("There are too many assertions"),
    "change-under-way": gettext_lazy("The instance is being changed"),
    "change-set-closed": gettext_lazy("The change set is closed"),
    "conflicts-open": gettext_lazy("The change set has conflicts"),
    "conflict-gone": gettext_lazy("There is no such conflict"),
    "failover-undone": gettext_lazy("The failover came to nothing"),
    "failover-uncertain": gettext_lazy("It is not known who is the principal"),
    "losses-unticked": gettext_lazy("The change set loses flows"),
    "loss-gone": gettext_lazy("The flow is not lost"),
    "nothing-to-apply": gettext_lazy("The change set changes nothing"),
    "finding-gone": gettext_lazy("The finding is gone"),
    "nothing-to-fix": gettext_lazy("There is no fix to propose"),
    "nothing-to-revert": gettext_lazy("There is nothing to put back"),
    "not-in-change-set": gettext_lazy("This cannot wait in a change set"),
    "last-administrator": gettext_lazy("This is the last administrator"),
    "training-over": gettext_lazy("The run has ended"),
    "training-runs": gettext_lazy("The scenario is being played"),
    "not-in-this-mode": gettext_lazy("This mode does not allow it"),
    "no-more-hints": gettext_lazy("There are no more hints"),
    "sandbox-has-none": gettext_lazy("A sandbox has nothing of the kind"),
    "scenario-changed": gettext_lazy("The scenario has changed"),
    "sandbox-restoring": gettext_lazy("The run is being restored"),
    "too-many-runs": gettext_lazy("There are too many runs"),
    "replay-removed": gettext_lazy("The replay is not kept any more"),
    9002: gettext_lazy("The log of the run is full"),
    10928: gettext_lazy("The run is used up"),
    "bad-sandbox": gettext_lazy("The simulation cannot be so"),
    "run-under-way": gettext_lazy("The run has not ended"),
    "run-has-no-tables": gettext_lazy("The run has no tables"),
    "result-unreadable": gettext_lazy("The table cannot be read"),
    "result-too-costly": gettext_lazy("The question takes too much"),
    "result-unwritable": gettext_lazy("The results cannot be written"),
    "upload-unwritable": gettext_lazy("The file cannot be kept"),
    "traffic-runs": gettext_lazy("Test traffic runs already"),
    "too-many-tokens": gettext_lazy("There are too many tokens"),
    "cannot-undo": gettext_lazy("This cannot be undone or redone"),
    "server-busy": gettext_lazy("The server is busy"),
    "unknown-field": gettext_lazy("The request has a field that is not known"),
}
"""Where a status has several reasons, the title of the rarer ones."""
