"""Problems that are the web's own; the engine's numbered errors are `BrokerError` and keep their numbers.

Each class is one kind of problem with a stable code. What HTTP makes of them stands in `common/api/errors.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class WebProblem(Exception):
    """Something the asker can understand and mend; `detail` says what happened, `cure` what to do.

    Each kind has a usual reason and cure, for where nothing more can be said.
    """

    code = "problem"
    usual_why: str | Promise = ""
    usual_cure: str | Promise = ""

    def __init__(
        self,
        detail: str,
        *,
        why: str = "",
        cure: str = "",
        pointer: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.why = why or str(self.usual_why)
        self.cure = cure or str(self.usual_cure)
        self.pointer = pointer
        self.parameters = dict(parameters or {})


class ObjectNotFound(WebProblem):
    """The address names something that does not exist."""

    code = "not-found"
    usual_why = gettext_lazy("It was removed or renamed, or the name is misspelt.")
    usual_cure = gettext_lazy("Read the estate again and choose among what is there.")


class RightMissing(WebProblem):
    """The user's role does not include the right that this needs."""

    code = "right-missing"
    usual_why = gettext_lazy("Each role includes some rights only.")
    usual_cure = gettext_lazy("Ask an administrator for another role.")


class RevisionConflict(WebProblem):
    """The estate has moved on since the asker last read it."""

    code = "revision-conflict"
    usual_why = gettext_lazy("Somebody changed the estate meanwhile.")
    usual_cure = gettext_lazy("Read the estate again and repeat the change.")


class ChangeUnderWay(WebProblem):
    """The instance does not have yet what is wanted of it, and this must come after that."""

    code = "change-under-way"
    usual_why = gettext_lazy(
        "Moving a database goes by the revision that the instance has, not by the one that is wanted."
    )
    usual_cure = gettext_lazy("Wait until the instance has the wanted revision, then try again.")


class ChangeSetClosed(WebProblem):
    """The change set has been applied or discarded."""

    code = "change-set-closed"
    usual_why = gettext_lazy("What was applied or discarded is history and stays as it is.")
    usual_cure = gettext_lazy("Start another change set, or revert the revision that it became.")


class ConflictsOpen(WebProblem):
    """Somebody else has changed what the change set changes, and nobody has decided whose way it goes."""

    code = "conflicts-open"
    usual_why = gettext_lazy("The change set would silently undo somebody else's work.")
    usual_cure = gettext_lazy("Decide about each conflict: keep what the change set has, or take what is live.")


class FailoverUndone(WebProblem):
    """A failover came to nothing on the way, and every role is what it was."""

    code = "failover-undone"
    usual_why = gettext_lazy("A failover needs both partners until it is done.")
    usual_cure = gettext_lazy("Check that the worker which hosts it is running, then fail over again.")


class FailoverUncertain(WebProblem):
    """A partner stopped answering in the middle of a failover: which role it has is not known; `parameters` name it."""

    code = "failover-uncertain"
    usual_why = gettext_lazy("A partner that does not answer may have carried out what it was told, or may do so yet.")


class LossesUnticked(WebProblem):
    """The change set loses flows, and nobody has said of all of them that this is meant."""

    code = "losses-unticked"
    usual_why = gettext_lazy("What worked would silently stop working once the change set is live.")
    usual_cure = gettext_lazy("Look at its flow impact: tick each loss that is meant, and mend the others.")


class LossGone(WebProblem):
    """The flow is not lost, so nothing about its loss can be said."""

    code = "loss-gone"
    usual_why = gettext_lazy(
        "The change set or what is live has changed meanwhile, and the flow works on, or never did."
    )
    usual_cure = gettext_lazy("Read the flow impact of the change set again.")


class AssertionChanged(WebProblem):
    """Somebody has changed the assertion since the asker looked at it; `parameters` hold both sides."""

    code = "assertion-changed"
    usual_why = gettext_lazy("Somebody else changed the assertion meanwhile, and this change would silently undo that.")
    usual_cure = gettext_lazy("Look at both, and send your change again with the version that is there now.")


class AssertionNameTaken(WebProblem):
    """Another assertion of the estate is called so."""

    code = "assertion-name-taken"
    usual_why = gettext_lazy("Results are told by the names of assertions, so each has one of its own in its estate.")
    usual_cure = gettext_lazy("Choose another name, or change the assertion that there is.")


class AssertionsUnreadable(WebProblem):
    """A file of assertions has mistakes; `parameters` hold every one with line and column."""

    code = "assertions-unreadable"
    usual_why = gettext_lazy("A file is taken over whole or not at all.")
    usual_cure = gettext_lazy("Mend every line that is named, and send the file again.")


class NothingClaimed(WebProblem):
    """An assertion that expects nothing could never fail."""

    code = "nothing-claimed"
    usual_why = gettext_lazy("An assertion that claims nothing passes whatever happens.")
    usual_cure = gettext_lazy("Claim at least whether the message works, how it ends, where it arrives, or its number.")


class TooManyAssertions(WebProblem):
    """The estate would have more assertions than one run answers in time."""

    code = "too-many-assertions"
    usual_why = gettext_lazy("All assertions of an estate are run in one request, so that one look tells about them.")
    usual_cure = gettext_lazy("Remove those that nobody counts on any more.")


class ConflictGone(WebProblem):
    """There is no such conflict, or it cannot be decided that way."""

    code = "conflict-gone"
    usual_why = gettext_lazy("It was decided meanwhile, or the two sides have come to say the same.")
    usual_cure = gettext_lazy("Read the change set again.")


class NothingToApply(WebProblem):
    """The change set wants nothing that is not so already."""

    code = "nothing-to-apply"
    usual_why = gettext_lazy("Everything in it was undone, or is live already.")
    usual_cure = gettext_lazy("Edit it, or discard it.")


class NothingToRevert(WebProblem):
    """Nothing that could be put back is known of the revision."""

    code = "nothing-to-revert"
    usual_why = gettext_lazy("The revision changed no definitions, or it is older than the log of decisions.")
    usual_cure = gettext_lazy("Make the changes by hand, in a change set.")


class TrafficRuns(WebProblem):
    """Test traffic of the estate runs already, or is being ended."""

    code = "traffic-runs"
    usual_why = gettext_lazy("An estate has one run of test traffic at a time, so that one button stops all of it.")
    usual_cure = gettext_lazy("Stop it, wait a moment until it has ended, and start again.")


class TrainingOver(WebProblem):
    """The run of a scenario has ended."""

    code = "training-over"
    usual_why = gettext_lazy("It was finished or given up, or the time of the examination is over.")
    usual_cure = gettext_lazy("Read its report, or begin the scenario anew.")


class TrainingRuns(WebProblem):
    """The person has a run of the scenario that has not ended; `parameters` name it."""

    code = "training-runs"
    usual_why = gettext_lazy("A scenario is played once at a time, so that there is no doubt which run is meant.")
    usual_cure = gettext_lazy("Go on with it, or finish it first.")


class NotInThisMode(WebProblem):
    """The way in which the scenario is played does not allow this."""

    code = "not-in-this-mode"
    usual_why = gettext_lazy("An examination is done alone and against the clock; learning and practising are not.")
    usual_cure = gettext_lazy("Go on without it, or play the scenario in another mode.")


class NoMoreHints(WebProblem):
    """All hints of the scenario have been taken."""

    code = "no-more-hints"
    usual_why = gettext_lazy("Each scenario has three hints; the last one says what is to be done.")
    usual_cure = gettext_lazy("Read them again, or give up and look at the solution.")


class ScenarioChanged(WebProblem):
    """The file of a scenario is not what it was when a run of it began."""

    code = "scenario-changed"
    usual_why = gettext_lazy("A run is judged by the scenario as it was, and that is not there any more.")
    usual_cure = gettext_lazy("Begin the scenario anew in the catalogue: that ends this run.")


class BadSandboxAction(WebProblem):
    """A clock, a fault or traffic of a sandbox cannot be as it was asked for."""

    code = "bad-sandbox"
    usual_why = gettext_lazy("A simulation has its bounds.")
    usual_cure = gettext_lazy("Ask for something within the bounds that are named.")


class GroupNameTaken(WebProblem):
    """The trainer has a group of that name."""

    code = "group-name-taken"
    usual_why = gettext_lazy("Groups of one trainer are told apart by their names.")
    usual_cure = gettext_lazy("Choose another name, or change the group that there is.")


class NotInChangeSet(WebProblem):
    """What was asked for is a deed, not a definition: it cannot be kept for later."""

    code = "not-in-change-set"
    usual_why = gettext_lazy(
        "A change set says what an estate shall be; this is something that is done to it, once and at once."
    )
    usual_cure = gettext_lazy("Do it without a change set.")


class CannotUndo(WebProblem):
    """There is nothing to undo or redo, or others have built on it."""

    code = "cannot-undo"
    usual_why = gettext_lazy("An action can be undone and redone while what it changed is as the action left it.")
    usual_cure = gettext_lazy("Look at what has become of the object, and change it as it should be.")


class FindingGone(WebProblem):
    """The finding that was to be mended is not there any more."""

    code = "finding-gone"
    usual_why = gettext_lazy(
        "Somebody has mended it meanwhile, or time has: a route or a certificate that expired was changed."
    )
    usual_cure = gettext_lazy("Read the findings again.")


class NothingToFix(WebProblem):
    """Nothing can be proposed for what was to be mended."""

    code = "nothing-to-fix"
    usual_why = gettext_lazy("A person has to decide how it is meant.")
    usual_cure = gettext_lazy("Read what the finding says is to be done, and change the object by hand.")


class RevisionRequired(WebProblem):
    """A change was asked for without saying which revision it was made from."""

    code = "revision-required"
    usual_why = gettext_lazy("Without it this change could silently undo somebody else's.")
    usual_cure = gettext_lazy('Send If-Match: "<revision>" with the revision the change was made from.')


class MalformedRequest(WebProblem):
    """The request is not what the address takes."""

    code = "malformed"
    usual_why = gettext_lazy("The request is not what this address takes.")
    usual_cure = gettext_lazy("Mend it and send it again; /api/v1/openapi.json describes every request.")


class UnknownParameter(WebProblem):
    """The address has a query parameter that is not known."""

    code = "unknown-field"
    usual_why = gettext_lazy(
        "A parameter that nobody reads is usually a misspelt one, and what it asks for would not be done."
    )
    usual_cure = gettext_lazy("Remove it or correct its name; /api/v1/openapi.json describes every request.")


class Unauthenticated(WebProblem):
    """Nobody is logged in, or the name and password do not fit."""

    code = "unauthenticated"
    usual_why = gettext_lazy("This needs somebody who is logged in.")
    usual_cure = gettext_lazy("Log in.")


class ContentTooLarge(WebProblem):
    """The request holds more than is taken at once."""

    code = "too-large"
    usual_why = gettext_lazy("A request is held in memory while it is read, so its size has a bound.")
    usual_cure = gettext_lazy("Send it in several requests.")


class UnsupportedMedia(WebProblem):
    """The body of the request is not JSON."""

    code = "unsupported-media"
    usual_why = gettext_lazy("Every address of the API takes JSON, and nothing else.")
    usual_cure = gettext_lazy("Send JSON with the header Content-Type: application/json.")


class UserExists(WebProblem):
    """A user of that name exists."""

    code = "user-exists"
    usual_why = gettext_lazy(
        "Names of users are told apart without regard to case, so that nobody is taken for somebody else."
    )
    usual_cure = gettext_lazy("Choose another name, or change the account that there is.")


class LastAdministrator(WebProblem):
    """Nobody would be left who can administer users."""

    code = "last-administrator"
    usual_why = gettext_lazy("Without an administrator nobody could give anybody a right again.")
    usual_cure = gettext_lazy("Make somebody else an administrator first.")


class TooManyTokens(WebProblem):
    """The person has as many tokens as one can have."""

    code = "too-many-tokens"
    usual_why = gettext_lazy("Tokens that nobody counts any more are tokens that nobody misses when they are stolen.")
    usual_cure = gettext_lazy("Revoke those that are not used any more.")


class TooManyAttempts(WebProblem):
    """Too many wrong passwords lately; `seconds` says when the next attempt is taken."""

    code = "too-many-attempts"

    def __init__(self, detail: str, *, seconds: int, cure: str) -> None:
        super().__init__(detail, why=_("Passwords are not to be found by trying."), cure=cure)
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
