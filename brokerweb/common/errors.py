"""Problems that are the web's own; the engine's numbered errors are `BrokerError` and keep their numbers.

Each class is one kind of problem with a stable code. What HTTP makes of them stands in `common/api/errors.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class WebProblem(Exception):
    """Something the asker can understand and mend; `detail` says what happened, `cure` what to do."""

    code = "problem"

    def __init__(self, detail: str, *, why: str = "", cure: str = "", pointer: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.why = why
        self.cure = cure
        self.pointer = pointer


class ObjectNotFound(WebProblem):
    """The address names something that does not exist."""

    code = "not-found"


class RightMissing(WebProblem):
    """The user's role does not include the right that this needs."""

    code = "right-missing"


class RevisionConflict(WebProblem):
    """The estate has moved on since the asker last read it."""

    code = "revision-conflict"


class RevisionRequired(WebProblem):
    """A change was asked for without saying which revision it was made from."""

    code = "revision-required"


class MalformedRequest(WebProblem):
    """The request is not what the address takes."""

    code = "malformed"


class Unauthenticated(WebProblem):
    """Nobody is logged in, or the name and password do not fit."""

    code = "unauthenticated"


class NumberedError(Protocol):
    """What the engine's errors have in common, however they come: raised, as a reply, or as a problem of a script."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def cure(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


class EngineRefused(Exception):
    """The catalog or an instance refused, with its number; `pointer` names the field that it is about, if one is."""

    def __init__(self, error: NumberedError, pointer: str | None = None, **parameters: Any) -> None:
        super().__init__(error.text)
        self.error = error
        self.pointer = pointer
        self.parameters = parameters
