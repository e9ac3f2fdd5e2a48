"""Problems that are the web's own; the engine's numbered errors are `BrokerError` and keep their numbers.

Each class is one kind of problem with a stable code. What HTTP makes of them stands in `common/api/errors.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class WebProblem(Exception):
    """Something the asker can understand and mend; `detail` says what happened, `cure` what to do.

    Each kind has a usual reason and cure, for where nothing more can be said.
    """

    code = "problem"
    usual_why = ""
    usual_cure = ""

    def __init__(self, detail: str, *, why: str = "", cure: str = "", pointer: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.why = why or self.usual_why
        self.cure = cure or self.usual_cure
        self.pointer = pointer


class ObjectNotFound(WebProblem):
    """The address names something that does not exist."""

    code = "not-found"
    usual_why = "It was removed or renamed, or the name is misspelt."
    usual_cure = "Read the estate again and choose among what is there."


class RightMissing(WebProblem):
    """The user's role does not include the right that this needs."""

    code = "right-missing"
    usual_why = "Each role includes some rights only."
    usual_cure = "Ask an administrator for another role."


class RevisionConflict(WebProblem):
    """The estate has moved on since the asker last read it."""

    code = "revision-conflict"
    usual_why = "Somebody changed the estate meanwhile."
    usual_cure = "Read the estate again and repeat the change."


class ChangeUnderWay(WebProblem):
    """The instance does not have yet what is wanted of it, and this must come after that."""

    code = "change-under-way"
    usual_why = "Moving a database goes by the revision that the instance has, not by the one that is wanted."
    usual_cure = "Wait until the instance has the wanted revision, then try again."


class ChangeSetClosed(WebProblem):
    """The change set has been applied or discarded."""

    code = "change-set-closed"
    usual_why = "What was applied or discarded is history and stays as it is."
    usual_cure = "Start another change set, or revert the revision that it became."


class ConflictsOpen(WebProblem):
    """Somebody else has changed what the change set changes, and nobody has decided whose way it goes."""

    code = "conflicts-open"
    usual_why = "The change set would silently undo somebody else's work."
    usual_cure = "Decide about each conflict: keep what the change set has, or take what is live."


class ConflictGone(WebProblem):
    """There is no such conflict, or it cannot be decided that way."""

    code = "conflict-gone"
    usual_why = "It was decided meanwhile, or the two sides have come to say the same."
    usual_cure = "Read the change set again."


class NothingToApply(WebProblem):
    """The change set wants nothing that is not so already."""

    code = "nothing-to-apply"
    usual_why = "Everything in it was undone, or is live already."
    usual_cure = "Edit it, or discard it."


class NothingToRevert(WebProblem):
    """Nothing that could be put back is known of the revision."""

    code = "nothing-to-revert"
    usual_why = "The revision changed no definitions, or it is older than the log of decisions."
    usual_cure = "Make the changes by hand, in a change set."


class NotInChangeSet(WebProblem):
    """What was asked for is a deed, not a definition: it cannot be kept for later."""

    code = "not-in-change-set"
    usual_why = "A change set says what an estate shall be; this is something that is done to it, once and at once."
    usual_cure = "Do it without a change set."


class CannotUndo(WebProblem):
    """There is nothing to undo or redo, or others have built on it."""

    code = "cannot-undo"
    usual_why = "An action can be undone and redone while what it changed is as the action left it."
    usual_cure = "Look at what has become of the object, and change it as it should be."


class RevisionRequired(WebProblem):
    """A change was asked for without saying which revision it was made from."""

    code = "revision-required"
    usual_why = "Without it this change could silently undo somebody else's."
    usual_cure = 'Send If-Match: "<revision>" with the revision the change was made from.'


class MalformedRequest(WebProblem):
    """The request is not what the address takes."""

    code = "malformed"
    usual_why = "The request is not what this address takes."
    usual_cure = "Mend it and send it again; /api/v1/openapi.json describes every request."


class UnknownParameter(WebProblem):
    """The address has a query parameter that is not known."""

    code = "unknown-field"
    usual_why = "A parameter that nobody reads is usually a misspelt one, and what it asks for would not be done."
    usual_cure = "Remove it or correct its name; /api/v1/openapi.json describes every request."


class Unauthenticated(WebProblem):
    """Nobody is logged in, or the name and password do not fit."""

    code = "unauthenticated"
    usual_why = "This needs somebody who is logged in."
    usual_cure = "Log in."


class ContentTooLarge(WebProblem):
    """The request holds more than is taken at once."""

    code = "too-large"
    usual_why = "A request is held in memory while it is read, so its size has a bound."
    usual_cure = "Send it in several requests."


class UnsupportedMedia(WebProblem):
    """The body of the request is not JSON."""

    code = "unsupported-media"
    usual_why = "Every address of the API takes JSON, and nothing else."
    usual_cure = "Send JSON with the header Content-Type: application/json."


class TooManyAttempts(WebProblem):
    """Too many wrong passwords lately; `seconds` says when the next attempt is taken."""

    code = "too-many-attempts"
    usual_why = "Passwords are not to be found by trying."

    def __init__(self, detail: str, *, seconds: int, cure: str) -> None:
        super().__init__(detail, cure=cure)
        self.seconds = seconds


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
