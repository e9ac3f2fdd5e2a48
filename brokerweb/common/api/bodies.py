"""Bodies of requests: JSON in UTF-8 of a bounded size, whose texts are texts.

A problem raised here reaches `common/api/errors.py` as the cause of ninja's own error.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.parser import Parser

from brokerweb.common.api.body_bounds import BODY_BYTES, VALUES_MAX, json_bytes_max
from brokerweb.common.api.errors import too_large
from brokerweb.common.errors import ContentTooLarge, MalformedRequest, UnsupportedMedia

JSON = "application/json"
# One that is never closed goes on to the end: it is looked through once.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class StrictParser(Parser):
    """Reads a body, or says what is wrong with it."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        if request.content_type != JSON:
            given = request.content_type or "nothing"
            raise UnsupportedMedia(
                _("The request says that its body is {given}; the API takes {JSON}.").format(given=given, JSON=JSON)
            )
        body = request.body
        # Django itself looks at the length that is announced, and a chunked body announces none.
        if len(body) > (bytes_max := json_bytes_max(request.path)):
            raise too_large(bytes_max)
        if len(body) > BODY_BYTES and _has_more_values(body, VALUES_MAX):
            raise ContentTooLarge(
                _("The body of the request has more than {count} values, the most that are taken at once.").format(
                    count=VALUES_MAX
                ),
                cure=_("Send it in several requests."),
                parameters={"values_max": VALUES_MAX},
            )
        try:
            value = json.loads(body, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise MalformedRequest(_("The body of the request is no JSON: {reason}.").format(reason=reason)) from error
        if _ESCAPED_SURROGATE.search(body):
            _refuse_lone_surrogates(value, "")
        return cast("dict[str, Any]", value)


def _has_more_values(body: bytes, count: int) -> bool:
    """Whether a body has more values than `count`. It is counted before parsing, for each value takes memory.

    A value follows a comma, or opens a list or object. Commas and brackets in texts do not count.
    """
    end = 0
    for text in _STRING.finditer(body):
        count -= _openings(body, end, text.start())
        if count <= 0:
            return True
        end = text.end()
    return count <= _openings(body, end, len(body))


def _openings(body: bytes, start: int, end: int) -> int:
    return sum(body.count(sign, start, end) for sign in (b",", b"[", b"{"))


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _refuse_lone_surrogates(value: Any, pointer: str) -> None:
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise MalformedRequest(
                _("The text at {value} holds half a surrogate pair.").format(value=pointer or _("the top")),
                why=_("Half a pair is no character, so the text cannot be stored or sent in any encoding."),
                cure=_("Send both halves of the pair, or the character itself."),
                pointer=pointer or None,
            )
    elif isinstance(value, list):
        for position, item in enumerate(value):
            _refuse_lone_surrogates(item, f"{pointer}/{position}")
    elif isinstance(value, dict):
        for name, item in value.items():
            # A name is no longer a pointer if it is half a character itself.
            _refuse_lone_surrogates(name, pointer)
            _refuse_lone_surrogates(item, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}")
