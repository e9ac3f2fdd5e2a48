"""A scenario in a sandbox: what its `SandboxSpec` is, how steps are taken in it, and how a grader sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import copy
from engine.core.exchange.replies import refusal
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import LocalProtocolError, catalogue
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.route_check.tree import UNUSABLE
from engine.sandbox.actions import Action, ActionOutcome, Entry
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown
from engine.sandbox.spec import NamedTraffic, QueueReader, SandboxSpec, TimedFault, TrafficPair, TrafficPlan
from engine.sandbox.target import Hands, OwnHands, SandboxTarget, Seen
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.securing import VAULT
from engine.training.manifest import Manifest
from engine.training.scenario import Scenario, Sender, Statements, Step, Wait
from engine.training.world import UNSEEN_KINDS, Beginning, Shipment
from engine.tsql.console.outputs import ConsoleOutput, Failed, ResultSet
from engine.tsql.console.session import ConsoleSession
from engine.whatif.faults import Fault
from engine.whatif.telling import FlowQuestion

NO_ANSWER: Final = 233
"""What a console tells of an instance that is down."""
READ_ONLY: Final = 3906
DIALOGS_MAX: Final = 30
"""Open dialogs of each flow. What cannot arrive is sent again every minute for as long as a run rests."""
TRAFFIC: Final = "scenario"
"""Name of a scenario's traffic in its sandbox."""


def spec_of(scenario: Scenario, *, seed: int) -> SandboxSpec:
    """The sandbox of a scenario, before its prologue."""
    traffic = scenario.traffic
    plan = TrafficPlan(
        pairs=tuple(map(_pair, traffic.senders)),
        rate=1.0 / traffic.every_seconds,
        dialog_messages=1,
        dialogs_max=DIALOGS_MAX,
        readers=tuple(
            QueueReader(
                instance=each.instance,
                database=each.database,
                queue=each.queue,
                fails_on=each.fails_on,
                ends=each.ends,
                reply_type=each.answer,
            )
            for each in traffic.readers
        ),
    )
    return SandboxSpec(
        seed=seed,
        begins_at=scenario.begins_at,
        instances=tuple(scenario.catalogs.values()),
        traffic=(NamedTraffic(name=TRAFFIC, plan=plan, at_seconds=traffic.begins_at_seconds),),
        faults=tuple(
            TimedFault(
                at_seconds=each.begins_at_seconds,
                fault=each.fault,
                lasts_seconds=None if each.ends_at_seconds is None else each.ends_at_seconds - each.begins_at_seconds,
            )
            for each in scenario.faults
        ),
    )


def _pair(sender: Sender) -> TrafficPair:
    flow = sender.flow
    assert flow.contract is not None, "the reader of files asks for it"
    assert flow.message_type is not None, "the reader of files asks for it"
    return TrafficPair(
        from_instance=flow.instance,
        from_database=flow.database,
        from_service=flow.service,
        to_service=flow.to_service,
        contract=flow.contract,
        message_type=flow.message_type,
        broker_instance=flow.broker_instance,
    )


class GradedSandbox:
    """`GradedWorld` over a sandbox, whose journal its manifest has observed from the beginning."""

    def __init__(self, sandbox: Sandbox, manifest: Manifest, beginning: Beginning) -> None:
        self._sandbox, self._manifest, self._beginning = sandbox, manifest, beginning

    @property
    def beginning(self) -> Beginning:
        return self._beginning

    @property
    def seconds(self) -> float:
        return self._sandbox.seconds

    def now(self) -> UtcTime:
        return self._sandbox.utc

    def catalogs(self) -> Mapping[InstanceName, InstanceCatalog]:
        return self._sandbox.catalogs()

    def unseen_faults(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self._sandbox.faults() if fault.kind in UNSEEN_KINDS)

    def system_view(self, instance: InstanceName, query: SystemViewQuery) -> SystemViewRows | None:
        try:
            return self._sandbox.system_view(instance, query)
        except InstanceDown:
            return None

    def select(self, instance: InstanceName, database: DatabaseName, sql: str) -> int | None:
        entropy = SeededEntropy(Dice(self._sandbox.spec.seed, "training look"))
        session = ConsoleSession(SandboxTarget(_Eyes(self._sandbox), instance, entropy), database)
        rows = 0
        try:
            for output in session.run(sql):
                if isinstance(output, Failed) and output.number == NO_ANSWER:
                    return None
                if isinstance(output, Failed):
                    raise _error_of(output)
                if isinstance(output, ResultSet):
                    rows = len(output.rows)
        finally:
            session.close()
        return rows

    def shipments(self, flow: FlowQuestion) -> Sequence[Shipment]:
        return self._manifest.shipments(flow)


class _Eyes:
    """`Hands` of a session that may only look: what would do something is refused with 3906, and no time passes."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def look(self, at: Callable[[Sandbox], Seen]) -> Seen:
        return at(self._sandbox)

    def perform(self, action: Action) -> ActionOutcome:
        return ActionOutcome(refusal=refusal(LocalProtocolError(READ_ONLY, database="sandbox")))

    def wait(self, seconds: float, until: Callable[[Sandbox], bool]) -> bool:
        raise InstanceDown("Nobody waits in a sandbox that is looked at.")


def _error_of(output: Failed) -> LocalProtocolError:
    """An error of a console, to be worded in any language; one that a script has made up has its text alone."""
    if output.number in catalogue():
        return LocalProtocolError(output.number, **output.parameters)
    return LocalProtocolError(UNUSABLE, value="SELECT", name="scenario", detail=output.message)


class Played(msgspec.Struct, frozen=True):
    """A sandbox at the moment at which its trainee comes in."""

    sandbox: Sandbox
    manifest: Manifest
    entries: tuple[Entry, ...]
    """The log of the prologue: whoever performs them in a new sandbox of the same spec has the same state."""

    beginning: Beginning

    @property
    def world(self) -> GradedSandbox:
        """As a grader sees it, whenever it is asked."""
        return GradedSandbox(self.sandbox, self.manifest, self.beginning)


def begin(scenario: Scenario, *, seed: int) -> Played:
    """A new sandbox, its prologue played. Raises `StepFailed` for a prologue that does not run."""
    manifest = Manifest()
    sandbox = Sandbox(spec_of(scenario, seed=seed), [manifest])
    entries: list[Entry] = []
    hands = OwnHands(sandbox, entries.append)
    take_steps(hands, scenario.prologue, SeededEntropy(Dice(seed, "training prologue")))
    found = {name: copy(catalog) for name, catalog in sandbox.catalogs().items()}
    return Played(sandbox, manifest, tuple(entries), Beginning(sandbox.seconds, found))


class StepFailed(Exception):
    """A statement of a step was refused; the text says which number."""

    def __init__(self, text: str, file_line: int | None = None) -> None:
        super().__init__(text)
        self.file_line = file_line
        """Where the statement stands in the file of the scenario; None for steps that are in none."""


def take_steps(hands: Hands, steps: Iterable[Step], entropy: Entropy) -> list[ConsoleOutput]:
    """Take steps one after another; answers what their scripts have said. Raises `StepFailed` for the first error."""
    said: list[ConsoleOutput] = []
    for step in steps:
        match step:
            case Wait(seconds=seconds):
                hands.wait(seconds, lambda sandbox: False)
            case Statements():
                said += _run(SandboxTarget(hands, step.instance, entropy, VAULT), step)
    return said


def _run(target: SandboxTarget, step: Statements) -> list[ConsoleOutput]:
    session = ConsoleSession(target, step.database)
    said: list[ConsoleOutput] = []
    try:
        for output in session.run(step.sql):
            if isinstance(output, Failed):
                place = f"{step.instance}/{step.database}, line {output.line}"
                file_line = None if step.line is None else step.line + max(output.line, 1) - 1
                raise StepFailed(f"{place}: {output.number}: {output.message}", file_line)
            said.append(output)
    finally:
        session.close()
    return said
