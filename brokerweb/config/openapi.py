"""The OpenAPI document, from which the front end makes its types."""

from __future__ import annotations

import json
from typing import Any

from brokerweb.common.api.statuses import PROBLEM_STATUSES
from brokerweb.config.api import api
from brokerweb.config.env import REPOSITORY

OPENAPI_PATH = REPOSITORY / "frontend" / "openapi.json"
PREFIX = "api/v1/"


def openapi_document() -> dict[str, Any]:
    """The document; problems carry the media type that they are sent with."""
    document: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix=PREFIX)))
    for operations in document["paths"].values():
        for operation in operations.values():
            for status in PROBLEM_STATUSES:
                content = operation["responses"][str(status)]["content"]
                content["application/problem+json"] = content.pop("application/json")
    return document


def openapi_text() -> str:
    """The document as it is kept in the repository: indented, in a stable order, ending with a line break."""
    return json.dumps(openapi_document(), indent=2, ensure_ascii=False) + "\n"
