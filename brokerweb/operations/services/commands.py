"""One command to one instance, and the reply that it takes."""

from __future__ import annotations

from typing import Protocol, TypeVar
from uuid import UUID, uuid4

from django.utils.translation import gettext as _

from brokerweb.common.errors import EngineRefused, MalformedRequest
from engine import api as engine

COMMAND_SECONDS = 15
"""How long an instance may take to answer a command."""

R = TypeVar("R")


class Somewhere(Protocol):
    """A place on an instance of an estate."""

    @property
    def estate(self) -> str: ...
    @property
    def instance(self) -> str: ...


def command_id(key: UUID | None) -> engine.CommandId:
    """The key under which the instance remembers its reply: the client's, or a new one."""
    return engine.CommandId(uuid4() if key is None else key)


def transaction_id(transaction: UUID | None) -> engine.TransactionId | None:
    """The transaction that a statement is part of; None commits it at once."""
    return None if transaction is None else engine.TransactionId(transaction)


def reply_to(place: Somewhere, command: engine.Command, kind: type[R]) -> R:
    """The reply to one command. Raises `EngineRefused` for a refusal, `EngineUnavailable`, `MalformedRequest`."""
    (reply,) = engine.execute(place.estate, place.instance, [command], timeout_seconds=COMMAND_SECONDS)
    if isinstance(reply, engine.Refusal):
        raise EngineRefused(reply)
    return expected(reply, kind)


def expected(reply: object, kind: type[R]) -> R:
    """The reply, which is of the kind that the command is answered with.

    One of another kind is the remembered reply to another command with the same key: `MalformedRequest`.
    """
    if not isinstance(reply, kind):
        raise MalformedRequest(
            _("The Idempotency-Key was given with another request, which was carried out; this one was not."),
            why=_("An instance answers a key that it knows as it did the first time."),
            cure=_("Send each request with a UUID of its own."),
        )
    return reply
