"""Names in addresses. An object's name may hold any character, a slash too.

A name takes as little of an address as it can and still fit; the last name of an address takes the rest.
"""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import StringConverter


class NameConverter(StringConverter):
    """A name inside an address."""

    regex = ".+?"


register_converter(NameConverter, "name")

ESTATE = "/estates/{estate}"
INSTANCE = ESTATE + "/instances/{name:instance}"
DATABASE = INSTANCE + "/databases/{name:database}"
