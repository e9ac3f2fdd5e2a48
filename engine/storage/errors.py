"""What a store raises when it cannot do its work."""

from __future__ import annotations


class StoreFailed(Exception):
    """The store could not keep or give back what it was asked to; nothing of the commit was kept.

    The message says in the operating system's or the database's words why: disk full, input/output error, a damaged
    file, or another process that holds it. Whoever drives the instance must stop and load it anew.
    """


class StoreInUse(StoreFailed):
    """Another process holds the store: the instance has an owner already."""


class StoreFenced(StoreFailed):
    """A later owner holds the store under a higher fencing number: whoever has the lower one commits nothing more."""
