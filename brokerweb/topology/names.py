"""How names of databases, queues, routes and instances are compared: without regard to case.

That is the default collation's habit; names of services, contracts and message types travel and are never folded
(routing.md 1).
"""

from __future__ import annotations


def fold(name: str) -> str:
    """The form of a name under which it is unique."""
    return name.casefold()
