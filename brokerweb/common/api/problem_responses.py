"""`document_problems`: every operation may answer a `Problem`, with any of the statuses that there are for one.

Said once for all of them: where each operation says it, ninja makes a model of its own for every status of every one,
thousands of the same, and whatever starts waits seconds for them.
"""

from __future__ import annotations

from typing import Final

from ninja import Router, Schema

from brokerweb.common.api.errors import Problem
from brokerweb.common.api.statuses import PROBLEM_STATUSES


class ProblemResponse(Schema):
    """What ninja keeps of a response: its type, in a field."""

    response: Problem


PROBLEM_MODELS: Final = dict.fromkeys(PROBLEM_STATUSES, ProblemResponse)


def document_problems(router: Router) -> None:
    """Add the statuses of problems to the responses of all operations of a router, before it is mounted."""
    for view in router.path_operations.values():
        for operation in view.operations:
            operation.response_models.update(PROBLEM_MODELS)
