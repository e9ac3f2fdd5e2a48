"""The base of everything that travels over the API."""

from __future__ import annotations

from ninja import Schema
from pydantic import ConfigDict


class Shape(Schema):
    """A schema whose fields are explained by the docstrings under them, in the code and in the OpenAPI document."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Request(Shape):
    """What a client sends. A field that is not known is refused: it is a misspelt one, or one of another version."""

    model_config = ConfigDict(extra="forbid")
