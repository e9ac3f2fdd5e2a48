"""`JOBS`: which jobs there are, without loading Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.manifest import ParameterValue

if TYPE_CHECKING:
    from engine.pipeline.frame import JobFunction

_TEXT, _WHOLE = "varchar", "int"
"""The vendor's names of types, which are the same in every language."""
_WHOLE_MAX: Final = (1 << 31) - 1
UNKNOWN_PARAMETER, PARAMETER_MISSING, NO_NUMBER = 8145, 201, 8114


@dataclass(frozen=True, slots=True, kw_only=True)
class JobParameter:
    """Something that is said to a job."""

    name: str
    about: str
    default: ParameterValue | None = None
    """None: it must be given."""
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDescription:
    """A job as it is offered."""

    name: str
    about: str
    reads: str
    """What its source is."""
    load: Callable[[], JobFunction]
    """Its function; loads Spark's modules."""
    parameters: tuple[JobParameter, ...] = ()
    made_as: int = 1
    """Raised when it makes something else of the same input: what is kept of an earlier one is of no use then."""

    def parameters_of(self, given: Mapping[str, str]) -> dict[str, ParameterValue]:
        """All of its parameters. Raises `LocalProtocolError` for those that are unknown, missing, or no number."""
        known = {each.name: each for each in self.parameters}
        for name in given:
            if name not in known:
                raise LocalProtocolError(UNKNOWN_PARAMETER, name=name, job=self.name)
        return {name: self._value(each, given.get(name)) for name, each in known.items()}

    def _value(self, parameter: JobParameter, text: str | None) -> ParameterValue:
        if text is None:
            if parameter.default is None:
                raise LocalProtocolError(PARAMETER_MISSING, name=parameter.name, job=self.name)
            return parameter.default
        if not parameter.is_number:
            return text
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or not -_WHOLE_MAX <= value <= _WHOLE_MAX:
            raise LocalProtocolError(NO_NUMBER, value=text, found=_TEXT, expected=_WHOLE)
        return value


def _delivery() -> JobFunction:
    from engine.pipeline.jobs.delivery import delivery

    return delivery


def _audit() -> JobFunction:
    from engine.pipeline.jobs.audit import audit

    return audit


def _paths() -> JobFunction:
    from engine.pipeline.jobs.paths import paths

    return paths


def _conversations() -> JobFunction:
    from engine.pipeline.jobs.conversations import conversations

    return conversations


def _ingest() -> JobFunction:
    from engine.pipeline.whatif.interning import ingest

    return ingest


def _whatif() -> JobFunction:
    from engine.pipeline.whatif.job import whatif

    return whatif


_LAKE: Final = "a lake of events"
SPAN: Final = (
    JobParameter(name="estate", about="only what this estate has told", default=""),
    JobParameter(name="since", about="only from this instant on, ISO 8601, UTC where it names no offset", default=""),
    JobParameter(name="until", about="only before this instant", default=""),
)
"""Which part of a lake; empty is all of it."""
JOBS: Final[Mapping[str, JobDescription]] = {
    each.name: each
    for each in (
        JobDescription(
            name="delivery", about="the life of every message", reads=_LAKE, load=_delivery, parameters=SPAN
        ),
        JobDescription(
            name="audit",
            about="exactly once in order, from the events of both ends",
            reads=_LAKE,
            load=_audit,
            parameters=(
                *SPAN,
                JobParameter(name="examples", about="messages shown of each verdict", default=100, is_number=True),
            ),
        ),
        JobDescription(
            name="paths", about="ways of messages, and what routes are for", reads=_LAKE, load=_paths, parameters=SPAN
        ),
        JobDescription(
            name="conversations",
            about="ends of conversations with their names, for `ingest`",
            reads=_LAKE,
            load=_conversations,
            parameters=SPAN,
        ),
        JobDescription(
            name="ingest",
            about="conversations with the numbers of their flows, for `whatif`",
            reads="Parquet of conversations",
            load=_ingest,
        ),
        JobDescription(
            name="whatif",
            about="what becomes of conversations under other revisions",
            reads="what `ingest` has made",
            load=_whatif,
            parameters=(
                JobParameter(name="snapshots", about="the folder of the estates that are asked, one file a revision"),
                JobParameter(
                    name="sample", about="conversations that are checked afterwards", default=64, is_number=True
                ),
            ),
        ),
    )
}
