"""Entity tags: what a change says it was made from, and what an answer was read at.

The tag of an estate is its revision, `"7"`; that of a change set its number and how often it was changed, `"3-12"`.
"""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest, RevisionRequired

_TAG = re.compile(r'"?(\d{1,9})"?')
_DRAFT_TAG = re.compile(r'"?(\d{1,9})-(\d{1,9})"?')


def expected_revision(request: HttpRequest, change_set: int | None = None) -> int:
    """The revision of If-Match, or the sequence of the change set; `RevisionRequired` when the header is missing."""
    revision = expected_revision_if_given(request, change_set)
    if revision is None:
        tag = (
            _('"<revision>" with the revision')
            if change_set is None
            else _('"{change_set}-<sequence>", the ETag').format(change_set=change_set)
        )
        raise RevisionRequired(
            _("The header If-Match is missing."),
            why=_("Without it this change could silently undo somebody else's."),
            cure=_("Send If-Match: {tag} the change was made from.").format(tag=tag),
        )
    return revision


def expected_revision_if_given(request: HttpRequest, change_set: int | None = None) -> int | None:
    """As `expected_revision`, None without the header; `MalformedRequest` when it is another kind of tag."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    if change_set is None:
        match = _TAG.fullmatch(header.strip())
        if match is None:
            raise MalformedRequest(
                _("If-Match is {header}; it takes a revision in double quotes.").format(header=header)
            )
        return int(match.group(1))
    match = _DRAFT_TAG.fullmatch(header.strip())
    if match is None or int(match.group(1)) != change_set:
        raise MalformedRequest(
            _('If-Match is {header}; for change set #{change_set} it takes "{change_set}-<sequence>".').format(
                header=header, change_set=change_set
            ),
            why=_(
                "A change in a change set is made from what the change set holds, not from a revision of the estate."
            ),
            cure=_("Send the ETag with which the change set, or the estate with it, was answered."),
        )
    return int(match.group(2))


def set_revision(response: HttpResponse, revision: int, change_set: int | None = None) -> None:
    """Put the revision, or number and sequence of the change set, on an answer."""
    response["ETag"] = f'"{revision}"' if change_set is None else f'"{change_set}-{revision}"'
