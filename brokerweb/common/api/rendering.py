"""`Utf8Renderer`: answers as JSON in UTF-8. A character that is escaped would take up to three times its bytes."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from ninja.renderers import JSONRenderer


class Utf8Renderer(JSONRenderer):
    """Writes characters as they are."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        """The answer; half a surrogate pair, which has no bytes in UTF-8, is escaped as JSON escapes it."""
        text = json.dumps(data, cls=self.encoder_class, ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace")
