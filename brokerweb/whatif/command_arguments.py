"""What commands are told of flows, faults, instants and states, as text; argparse tells what is wrong with it."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import unquote

from brokerweb.whatif.selectors.basis import BasisAsked
from engine import api as engine

_Fault, _Kind = engine.what_if.Fault, engine.what_if.FaultKind
STATES: Final = ("draft", "revision")


def add_basis_arguments(parser: ArgumentParser) -> None:
    """Which state of the estate, when, and what is supposed."""
    state = parser.add_mutually_exclusive_group()
    state.add_argument("--draft", type=int, metavar="N", help="of change set N instead of what is live")
    state.add_argument("--revision", type=int, metavar="N", help="of revision N instead of what is live")
    parser.add_argument("--at", type=instant, metavar="ISO", help="the clock, as 2026-12-31T23:59:59Z; now without it")
    parser.add_argument(
        "--fault",
        type=fault,
        action="append",
        default=[],
        metavar="KIND=NAMES",
        help="instance=LYON, link=PARIS/HUB, endpoint=LYON, database=LYON/Archives, queue=LYON/Archives/dbo.Dépôt, "
        "partner=BERLIN/Buchhaltung; %%2F is a / of a name; as often as wanted",
    )


def basis_asked(options: dict[str, Any]) -> BasisAsked:
    """The state that the arguments name."""
    return BasisAsked(
        change_set=options["draft"],
        revision=options["revision"],
        at=options["at"],
        faults=tuple(options["fault"]),
    )


def instant(text: str) -> datetime:
    """An instant with its time zone."""
    found = engine.assertions.instant_of(text)
    try:
        if found is not None:
            return datetime.fromtimestamp(found, UTC)
    except (OverflowError, ValueError, OSError):
        pass
    raise ArgumentTypeError(f"'{text}' is no instant with its time zone, as 2026-12-31T23:59:59Z is")


def fault(text: str) -> engine.what_if.Fault:
    """KIND=NAMES, or KIND/NAMES as an address of the page has it; names are apart by a /."""
    kinds = ", ".join(kind.value for kind in _Kind)
    equals, slash = text.find("="), text.find("/")
    split = min((at for at in (equals, slash) if at >= 0), default=-1)
    word, rest = (text[:split], text[split + 1 :]) if split >= 0 else (text, "")
    if word not in set(_Kind):
        raise ArgumentTypeError(f"'{word}' is no kind of fault; kinds are {kinds}")
    needs = engine.assertions.needs_of(_Kind(word))
    names = [unquote(name) for name in rest.split("/")]
    if len(names) != len(needs) or not all(names):
        raise ArgumentTypeError(f"'{text}' does not name {', '.join(needs)} of a fault: {word}={'/'.join(needs)}")
    return engine.assertions.fault_of(_Kind(word), dict(zip(needs, names, strict=True)))


def sender(text: str) -> tuple[str, str, str]:
    """INSTANCE/DATABASE/SERVICE; the service is whatever follows the second /."""
    parts = text.split("/", 2)
    if len(parts) < 3 or not all(parts):
        raise ArgumentTypeError(f"'{text}' is not INSTANCE/DATABASE/SERVICE")
    return unquote(parts[0]), unquote(parts[1]), parts[2]


def broker(text: str) -> engine.BrokerInstanceId:
    """A broker id."""
    try:
        return engine.parse_broker_instance(text)
    except engine.CatalogError as error:
        raise ArgumentTypeError(str(error)) from error


def setting(text: str) -> tuple[str, str]:
    """KEY=VALUE."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ArgumentTypeError(f"'{text}' is not KEY=VALUE")
    return key, value


def state(text: str) -> tuple[str, int | None]:
    """`live`, `draft=N` or `revision=N`."""
    if text == "live":
        return "live", None
    word, equals, number = text.partition("=")
    if not equals or word not in STATES or not number.isdecimal():
        raise ArgumentTypeError(f"'{text}' is none of live, draft=N and revision=N")
    return word, int(number)
