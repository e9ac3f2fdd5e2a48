"""`KeptInstance`: one instance of a kept sandbox, asked as `engine.hosting.client` asks a hosted one.

The answers have the types, and the errors the numbers, that an instance of an estate gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NoReturn, TypeVar
from uuid import UUID

from engine.core.exchange.commands import Command
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.pictures import Picture, PictureQuery
from engine.core.exchange.replies import Reply, refusal
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.errors import BrokerError, LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.envelope import NumberedEvent
from engine.hosting.errors import EngineUnavailable
from engine.hosting.sandboxes.keeper import SandboxKeeper
from engine.hosting.sandboxes.kept_hands import KeptHands
from engine.sandbox.actions import WaitGivenUp
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown
from engine.sandbox.target import SandboxTarget
from engine.sim.securing import VAULT
from engine.tsql.console.target import TargetUnavailable

Seen = TypeVar("Seen")


class KeptInstance:
    """Every method may raise `EngineUnavailable`: there is no such sandbox or instance, or the instance is down."""

    def __init__(self, keeper: SandboxKeeper, sandbox: str, instance: str) -> None:
        self._hands: Final = KeptHands(keeper, sandbox)
        self.ensure_keeps: Final = keeper.ensure_keeps
        """For a script that only computes: raises `EngineUnavailable` when the process is about to end."""
        self._name: Final = InstanceName(instance)

    def target(self) -> SandboxTarget:
        """As a console session works on it. Keys that it makes are sealed as all keys of simulated instances are."""
        return SandboxTarget(self._hands, self._name, OperatingSystemEntropy(), VAULT)

    def give_up(self) -> None:
        """From another thread: what a target of this instance waits for ends now, WAITFOR with the empty set.

        To be repeated until it has ended: it may just be about to wait.
        """
        self._hands.give_up()

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        """Carry out commands in their order; one reply each. A WAITFOR waits for the time of the sandbox.

        By a sandbox that is used up each of them is refused (10928).
        """
        try:
            return self.target().execute(commands)
        except LimitExceeded as error:
            return [refusal(error)] * len(commands)
        except (TargetUnavailable, BrokerError) as error:
            raise EngineUnavailable(str(error)) from error

    def cancel_wait(self, command_id: UUID) -> None:
        """Have whoever waits with a WAITFOR answered with the empty set; harmless when it has ended."""
        try:
            outcome = self._hands.perform(WaitGivenUp(instance=self._name, command_id=CommandId(command_id)))
        except InstanceDown as error:
            raise EngineUnavailable(str(error)) from error
        if outcome.unavailable or outcome.refusal is not None:
            raise EngineUnavailable(outcome.unavailable or f"There is no instance {self._name}.")

    def view(self, rows_max: int) -> InstanceView:
        """The live rows, at most `rows_max` in each list."""
        return self._look(lambda sandbox: sandbox.view(self._name, rows_max))

    def peek(self, database: str, queue: str, top: int, with_bodies: bool = True) -> QueuePeek:
        """The first messages of a queue, not taken; `LocalProtocolError` when there is no such queue."""
        return self._look(
            lambda sandbox: sandbox.peek(self._name, DatabaseName(database), QueueName(queue), top, with_bodies)
        )

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view; `LocalProtocolError` with its number."""
        return self._look(lambda sandbox: sandbox.system_view(self._name, query))

    def pictures(self, queries: Sequence[PictureQuery]) -> list[Picture | LocalProtocolError]:
        """What views show, or why one of them cannot be shown."""
        found = self._look(lambda sandbox: sandbox.pictures(self._name, queries))
        return [_as_told(each) if isinstance(each, BrokerError) else each for each in found]

    def explain(self, database: str, handle: UUID) -> TransmissionExplanation:
        """Why the messages of a conversation wait; `LocalProtocolError` with its number."""
        place = DatabaseName(database), ConversationHandle(handle)
        return self._look(lambda sandbox: sandbox.explain(self._name, *place))

    def events_after(self, sequence: int, limit: int) -> list[NumberedEvent]:
        """At most `limit` events later than `sequence`, oldest first."""
        return self._look(lambda sandbox: sandbox.events_after(self._name, EventSequence(sequence), limit))

    def _look(self, at: Callable[[Sandbox], Seen]) -> Seen:
        def see(sandbox: Sandbox) -> Seen:
            if self._name not in sandbox.instances():
                raise EngineUnavailable(f"There is no instance {self._name} in this sandbox.")
            return at(sandbox)

        try:
            return self._hands.look(see)
        except InstanceDown as error:
            raise EngineUnavailable(str(error)) from error
        except BrokerError as error:
            raise _as_told(error) from error


def _as_told(error: BrokerError) -> LocalProtocolError:
    return LocalProtocolError(error.number, **error.parameters)


def not_of_sandboxes(what: str) -> NoReturn:
    """Raises `EngineUnavailable`: something that only instances of estates have."""
    raise EngineUnavailable(f"{what}: an instance of a sandbox has none.")
