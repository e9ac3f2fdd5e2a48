"""Requests of schemathesis, answered by the application in this process: no socket, the real middleware."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import requests
from django.test import Client
from requests.adapters import BaseAdapter, HTTPAdapter
from urllib3 import HTTPResponse

from brokerweb.config.openapi import OPENAPI_PATH


def api_document() -> dict[str, Any]:
    """The OpenAPI document of the repository; test_openapi.py proves that the code makes the same one, in seconds."""
    return json.loads(OPENAPI_PATH.read_text(encoding="utf-8"))


ADDRESS = "http://testserver"


class InProcess(BaseAdapter):
    """Carries requests to a client of Django, and its answers back."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._builder = HTTPAdapter()

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        headers = {name: _text(value) for name, value in request.headers.items() if name.lower() != "cookie"}
        content_type = headers.pop("Content-Type", "")
        answer = self._client.generic(
            request.method or "GET",
            request.path_url,
            request.body or b"",
            content_type=content_type,
            headers=headers,
        )
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        raw = HTTPResponse(
            body=BytesIO(content), status=answer.status_code, headers=dict(answer.headers), preload_content=False
        )
        return self._builder.build_response(request, raw)

    def close(self) -> None:
        return


def session_of(client: Client) -> requests.Session:
    """A session whose every request this client of Django makes, with its cookies."""
    session = requests.Session()
    session.mount(ADDRESS, InProcess(client))
    return session


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
