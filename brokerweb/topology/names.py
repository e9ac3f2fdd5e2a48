"""How names of databases, queues, routes and instances are compared: without regard to case.

That is the default collation's habit; names of services, contracts and message types travel and are never folded
(routing.md 1).
"""

from __future__ import annotations

import re

from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest


def fold(name: str) -> str:
    """The form of a name under which it is unique."""
    return name.casefold()


ESTATE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""What an estate can be called: it stands in addresses and in names of queues and files."""


def check_estate_name(name: str) -> None:
    """`MalformedRequest` for what no estate can be called."""
    if re.fullmatch(ESTATE_NAME, name) is None:
        raise MalformedRequest(
            _("No estate can be called {name}.").format(name=name),
            cure=_(
                "A name has up to 64 letters, digits, dots, hyphens and underlines, and begins with letter or digit."
            ),
        )
