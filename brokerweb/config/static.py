"""Serving of the built front end and of the admin's style sheets by the process itself.

Not responsible for the page: `index.html` is a view, so that it can set the CSRF cookie.
"""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

# Vite puts a hash of the content into the name of everything under /assets/.
_HASHED = re.compile(r"^/assets/.+-[\w-]{8,}\.\w+$")


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise for an ASGI server: files are answered whole.

    Streamed, they would go through a synchronous iterator, which Django reads into memory with a warning anyway.
    """

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        answer = static_file.get_response(request.method, request.META)
        content = b""
        if answer.file is not None:
            with answer.file as file:
                content = file.read()
        response = HttpResponse(content, status=int(answer.status))
        del response["Content-Type"]
        for name, value in answer.headers:
            response[name] = value
        return response

    def immutable_file_test(self, path: str, url: str) -> bool:
        return _HASHED.match(url) is not None or super().immutable_file_test(path, url)
