"""Errors with the vendor's numbers; the words are ours and stand in `error_catalogue.toml`, nowhere else.

Blame is a type: `LocalProtocolError` is our caller's fault, `RemoteProtocolError` the peer's, `CatalogError` a
definition that contradicts the catalog, `LimitExceeded` a bound of `limits.py`. The base cannot be raised.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import ClassVar, Final

import msgspec

Parameter = str | int | None


class CatalogueEntry(msgspec.Struct, frozen=True):
    """What an error says: what happened, why, what to do. Braces name parameters."""

    text: str
    why: str = ""
    cure: str = ""
    words: tuple[str, ...] = ()
    """Parameters that hold words of ours rather than names or numbers, besides `detail` and `expected`."""


@cache
def catalogue() -> dict[int, CatalogueEntry]:
    """All numbered texts of the engine, by number."""
    source = resources.files("engine.core.vocabulary").joinpath("error_catalogue.toml").read_text("utf-8")
    return {int(number): msgspec.convert(entry, CatalogueEntry) for number, entry in tomllib.loads(source).items()}


_BITS_MAX: Final = 4096
"""Bits of a number that a text shows digit by digit; Python itself refuses to write one of more than 4,300 digits."""


def number_text(number: int) -> str:
    """A number as a text shows it, whatever its size; past 4,096 bits only how large it is."""
    if number.bit_length() <= _BITS_MAX:
        return str(number)
    power = f"2^{number.bit_length() - 1}"
    return f"\u2265{power}" if number > 0 else f"\u2264-{power}"


_WORD_MAX: Final = 400
"""Longer than any name or address that a statement takes."""
_TEXT_MAX: Final = 4_000
_LONG_WORD: Final = re.compile(rf"(\S{{{_WORD_MAX}}})\S+")


def shortened(text: str) -> str:
    """A text as an error shows it: values that somebody has given are cut where they are longer than any can be."""
    if len(text) <= _WORD_MAX:
        return text
    cut = _LONG_WORD.sub(r"\1…", text)
    return cut if len(cut) <= _TEXT_MAX else f"{cut[:_TEXT_MAX]}…"


def _storable(value: Parameter) -> Parameter:
    """The value as every store and every wire can write it, and as long as an error shows it.

    A number beyond 64 bits, and half a character, are written as text.
    """
    if isinstance(value, str):
        return shortened(value.encode("utf-8", "backslashreplace").decode())
    if value is None or -(2**63) <= value < 2**63:
        return value
    return number_text(value)


class _Absent(dict[str, Parameter]):
    """Leaves a brace alone when its parameter is not given: half a sentence is better than none."""

    is_refused: ClassVar[bool] = False

    def __missing__(self, key: str) -> str:
        if _Absent.is_refused:
            raise KeyError(f"the text names '{key}', which was not given; only {sorted(self)} were")
        return "{" + key + "}"


def demand_every_parameter() -> None:
    """From now on a text whose parameter is not given is a `KeyError`. For tests: nobody shall read a bare brace."""
    _Absent.is_refused = True


def text_of(number: int, **parameters: Parameter) -> str:
    """The sentence that says what happened, filled in; `KeyError` for a number the catalogue does not know."""
    return catalogue()[number].text.format_map(_Absent(parameters))


def status_text(number: int, **parameters: Parameter) -> str:
    """The sentence with its number in front, as `transmission_status` shows it (views.md 3).

    `detail` may be that sentence already, filled in where it happened: why a handshake has failed, above all.
    """
    beginning, detail = catalogue()[number].text.partition("{")[0], parameters.get("detail")
    if beginning and isinstance(detail, str) and detail.startswith(beginning):
        return f"{number}: {detail}"
    return f"{number}: {text_of(number, **parameters)}"


class BrokerError(Exception):
    """A numbered error. Never raised as such: one of its four kinds says whose fault it is.

    Its `parameters` can always be stored: the refusal of a command is remembered like any other reply.
    """

    def __init__(self, number: int, **parameters: Parameter) -> None:
        if type(self) is BrokerError:
            raise TypeError("raise LocalProtocolError, RemoteProtocolError, CatalogError or LimitExceeded")
        self.number: Final = number
        self.parameters: Final = {name: _storable(value) for name, value in parameters.items()}
        super().__init__(status_text(number, **self.parameters))

    @property
    def text(self) -> str:
        """What happened."""
        return text_of(self.number, **self.parameters)

    @property
    def why(self) -> str:
        """Why it happened; may be empty."""
        return catalogue()[self.number].why.format_map(_Absent(self.parameters))

    @property
    def cure(self) -> str:
        """What to do about it; may be empty."""
        return catalogue()[self.number].cure.format_map(_Absent(self.parameters))


class LocalProtocolError(BrokerError):
    """Our own caller broke a rule of the statement."""


class RemoteProtocolError(BrokerError):
    """The peer broke a rule of the protocol."""


class CatalogError(BrokerError):
    """A definition is malformed or contradicts the catalog."""


class LimitExceeded(BrokerError):
    """A bound was met."""
