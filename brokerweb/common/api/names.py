"""Names in addresses. An object's name may hold any character, a slash too.

A name takes as little of an address as it can and still fit; the last name of an address takes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

from django.urls import URLPattern, URLResolver, register_converter
from django.urls.converters import StringConverter, UUIDConverter
from django.urls.resolvers import RoutePattern


class NameConverter(StringConverter):
    """A name inside an address."""

    regex = ".+?"


class HandleConverter(UUIDConverter):
    """A handle or another GUID inside an address, in any letter case: views show them in capitals."""

    regex = "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"


_NAME: Final = re.compile(rf"(\(\?P<\w+>{re.escape(NameConverter.regex)}\))")
"""A name in the regular expression that Django makes of a route."""


class NamedRoute(RoutePattern):
    """A route with names in it, matched in linear time.

    A name with all that follows up to the next name is atomic: its first place is kept. As a name takes any
    characters, a later place fits only where the first one does, so nothing is lost by not going back.
    """

    @cached_property
    def _linear(self) -> re.Pattern[str]:
        first, *rest = _NAME.split(str(self.regex.pattern))
        return re.compile(
            first + "".join(f"(?>{name}{after})" for name, after in zip(rest[::2], rest[1::2], strict=True))
        )

    def match(self, path: str) -> tuple[str, tuple[()], dict[str, Any]] | None:
        """As of `RoutePattern`. `regex` stays as it is: addresses are made from it."""
        found = self._linear.search(path)
        if found is None:
            return None
        try:
            given = {name: self.converters[name].to_python(value) for name, value in found.groupdict().items()}
        except ValueError:
            return None
        return path[found.end() :], (), given


def with_named_routes(patterns: Iterable[URLPattern | URLResolver]) -> list[URLPattern | URLResolver]:
    """The patterns; those with names in their routes match in linear time."""
    found = list(patterns)
    for each in found:
        route = each.pattern
        if any(isinstance(converter, NameConverter) for converter in route.converters.values()):
            each.pattern = NamedRoute(str(route), name=route.name, is_endpoint=isinstance(each, URLPattern))
    return found


register_converter(NameConverter, "name")
register_converter(HandleConverter, "guid")

ESTATE = "/estates/{estate}"
INSTANCE = ESTATE + "/instances/{name:instance}"
DATABASE = INSTANCE + "/databases/{name:database}"
