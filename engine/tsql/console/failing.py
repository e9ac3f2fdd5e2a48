"""`StatementFailed`: a numbered error on its way from where it happens to whoever catches or tells it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.errors import BrokerError, Parameter, catalogue, text_of
from engine.tsql.console.outputs import Failed

SYNTAX_ERROR, NOT_SUPPORTED, NOT_MODELLED, OPTION_NOT_SUPPORTED = 102, 40510, 40515, 40517
UNCLOSED_QUOTE, UNCLOSED_COMMENT = 105, 113
TOO_MANY_STATEMENTS, TOO_MUCH = 8649, 8657
NESTED_TOO_DEEPLY, TOO_MANY_PARTS = 191, 8632
NO_MEMORY = 701
NO_ANSWER, CUT_OFF_SEVERITY = 233, 20

_SEVERITY_DEFAULT: Final = 16
_SEVERITIES: Final = {
    **dict.fromkeys((102, 105, 113, 134, 135, 136, 137, 178, 191, 1087, 10704), 15),
    **dict.fromkeys((1204, 701, 8657), 17),
    **dict.fromkeys((226, 2571, 15247), 14),
}
"""As the vendor grades them; what is not named is 16, a mistake that its writer can correct."""

CONVERSIONS: Final = frozenset({241, 245, 8114, 8115, 8152, 8169, 9400})
"""Values that do not fit: the batch ends, and the transaction with it."""

SPENT: Final = frozenset({TOO_MANY_STATEMENTS, TOO_MUCH})
"""What a statement or a script may do is done; nothing catches them."""

BINDING: Final = frozenset({207, 208, 209, 4104})
"""Names that mean nothing. A server finds it out when it compiles the statement: the batch ends, and no CATCH of it
hears of the error; one around the EXECUTE that ran the batch does."""

ABORTING: Final = (
    CONVERSIONS
    | SPENT
    | {
        *(SYNTAX_ERROR, UNCLOSED_QUOTE, UNCLOSED_COMMENT, NOT_SUPPORTED, OPTION_NOT_SUPPORTED),
    }
)
"""Errors after which the rest of the batch does not run."""


REFUSALS: Final = frozenset({NOT_SUPPORTED, NOT_MODELLED, OPTION_NOT_SUPPORTED})
"""T-SQL that is not carried out here: no CATCH hears of it, and the script ends."""


class StatementFailed(Exception):
    """What went wrong, with all that ERROR_NUMBER() and its kin answer; `line` is that of the script, from 1."""

    def __init__(
        self,
        number: int,
        message: str,
        *,
        line: int = 0,
        severity: int | None = None,
        state: int = 1,
        why: str = "",
        cure: str = "",
        ends_batch: bool | None = None,
        parameters: Mapping[str, Parameter] = MappingProxyType({}),
    ) -> None:
        super().__init__(number, message)
        self.number = number
        self.message = message
        self.line = line
        self.severity = _SEVERITIES.get(number, _SEVERITY_DEFAULT) if severity is None else severity
        self.state = state
        self.why = why
        self.cure = cure
        self.parameters = dict(parameters)
        """What the texts were filled with, for whoever words them anew."""
        self.ends_batch = number in ABORTING if ends_batch is None else ends_batch
        self.has_ended_inner_batch = False
        """Whether it has ended the batch in which it arose, and is now the error of the EXECUTE that ran it."""

    @property
    def ends_script(self) -> bool:
        """Whether it is a refusal: what follows may count on what did not run."""
        return self.number in REFUSALS


def failed(number: int, *, at: int = 0, **parameters: Parameter) -> StatementFailed:
    """An error of the catalogue; `at` is its line, 0 where only the statement is known."""
    entry = catalogue()[number]
    shown = {name: _brief(value) for name, value in parameters.items()}
    return StatementFailed(
        number,
        text_of(number, **shown),
        line=at,
        why=entry.why if "{" not in entry.why else "",
        cure=entry.cure if "{" not in entry.cure else "",
        parameters=shown,
    )


def cut_off(why: str, at: int) -> StatementFailed:
    """The connection to the instance is gone, and what ran over it has ended (233 of severity 20)."""
    error = failed(NO_ANSWER, at=at)
    error.severity, error.why = CUT_OFF_SEVERITY, why or error.why
    return error


def failed_as(error: BrokerError, at: int) -> StatementFailed:
    """An error of the engine at a line."""
    return StatementFailed(
        error.number, error.text, line=at, why=error.why, cure=error.cure, parameters=error.parameters
    )


def refused(refusal: Refusal, at: int) -> StatementFailed:
    """A refusal of the engine at a line."""
    return StatementFailed(
        refusal.number, refusal.text, line=at, why=refusal.why, cure=refusal.cure, parameters=refusal.parameters
    )


def told(error: StatementFailed) -> Failed:
    """An error that nothing has caught, as an output."""
    return Failed(
        number=error.number,
        severity=error.severity,
        state=error.state,
        line=error.line,
        message=error.message,
        why=error.why,
        cure=error.cure,
        parameters=error.parameters,
    )


_SHOWN_MAX: Final = 200


def _brief(value: Parameter) -> Parameter:
    """A value as an error shows it; half a character is none that could be written anywhere."""
    if not isinstance(value, str):
        return value
    text = value if len(value) <= _SHOWN_MAX else value[:_SHOWN_MAX] + "…"
    return text.encode("utf-8", "backslashreplace").decode()
