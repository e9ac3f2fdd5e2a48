"""The revision of an estate as entity tag: what a change says it was made from, and what an answer was read at."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse

from brokerweb.common.errors import MalformedRequest, RevisionRequired

_TAG = re.compile(r'"?(\d{1,9})"?')


def expected_revision(request: HttpRequest) -> int:
    """The revision of If-Match; `RevisionRequired` when the header is missing."""
    revision = expected_revision_if_given(request)
    if revision is None:
        raise RevisionRequired(
            "The header If-Match is missing.",
            why="Without it this change could silently undo somebody else's.",
            cure='Send If-Match: "<revision>" with the revision the change was made from.',
        )
    return revision


def expected_revision_if_given(request: HttpRequest) -> int | None:
    """The revision of If-Match, or None; `MalformedRequest` when it is no revision."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    match = _TAG.fullmatch(header.strip())
    if match is None:
        raise MalformedRequest(f"If-Match is {header}; it takes a revision in double quotes.")
    return int(match.group(1))


def set_revision(response: HttpResponse, revision: int) -> None:
    """Put the revision on an answer."""
    response["ETag"] = f'"{revision}"'
