"""Names in addresses. An object's name may hold any character, a slash too.

A name takes as little of an address as it can and still fit; the last name of an address takes the rest.
"""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import StringConverter, UUIDConverter


class NameConverter(StringConverter):
    """A name inside an address."""

    regex = ".+?"


class HandleConverter(UUIDConverter):
    """A handle or another GUID inside an address, in any letter case: views show them in capitals."""

    regex = "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"


register_converter(NameConverter, "name")
register_converter(HandleConverter, "guid")

ESTATE = "/estates/{estate}"
INSTANCE = ESTATE + "/instances/{name:instance}"
DATABASE = INSTANCE + "/databases/{name:database}"
