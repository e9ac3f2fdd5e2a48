"""`Workload`: all applications of a world: begin dialogs, send, receive with delays, answer, end in every way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE
from engine.core.exchange.commands import BeginDialog
from engine.core.exchange.replies import DialogBegun, Reply
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, InstanceName, QueueName
from engine.core.vocabulary.rows import QueueRow
from engine.sim.asking import Clerk
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.scenario import Ending, Flow, Scenario, queues_of
from engine.sim.site import Site
from engine.sim.workload.bodies import END, FAIL, REPLY, read
from engine.sim.workload.catalogue import READERS
from engine.sim.workload.party import Party
from engine.sim.workload.readers import Reader, ReaderPlace
from engine.sim.workload.wishes import Wish

BURST_SHARE: Final = 0.25
"""Share of the dialogs that send without pauses."""
BEGINS_BY: Final = 0.8
"""Share of the safety phase in which dialogs begin."""
ANSWER_BYTES: Final = (40, 200)

_Key = tuple[InstanceName, DatabaseName, ConversationHandle]


class Workload:
    """Plans the dialogs of a run, and does what received messages ask for."""

    def __init__(
        self,
        agenda: Agenda,
        clerk: Clerk,
        sites: Mapping[tuple[InstanceName, DatabaseName], Site],
        scenario: Scenario,
        dice: Dice,
    ) -> None:
        self.planned = 0
        """Dialogs and messages that are still to come by their plan."""
        self._agenda = agenda
        self._clerk = clerk
        self._sites = sites
        self._dice = dice
        self._lasts = scenario.faults_seconds
        self._parties: dict[_Key, Party] = {}
        self._readers: dict[tuple[InstanceName, DatabaseName, QueueName], Reader] = {}
        self.flows = _drawn(scenario, dice)
        for instance in scenario.instances:
            for database in instance.databases:
                # A mirror copy is read where its principal is.
                services = () if database.is_mirror else database.services
                for queue in (queue for service in services for queue in queues_of(scenario, service)):
                    place = ReaderPlace(
                        site=sites[instance.name, database.name],
                        queue=queue,
                        agenda=agenda,
                        clerk=clerk,
                        dice=dice,
                        handle=self._handle_rows,
                        wishes=self._wishes,
                    )
                    make = READERS[dice.choose(scenario.readers)]
                    self._readers[instance.name, database.name, queue] = make(place)

    def begin(self) -> None:
        """Plan every dialog of the run, and let readers look into their queues."""
        for flow in self.flows:
            for _ in range(self._dice.number(*flow.dialogs)):
                self._plan(self._dice.between(0.0, self._lasts * BEGINS_BY), partial(self._begin_dialog, flow))
        for reader in self._readers.values():
            reader.poll()

    def delivered(self, instance: InstanceName, database: DatabaseName, queue: QueueName) -> None:
        """A queue has something to receive."""
        site = self._sites.get((instance, database))
        reader = self._readers.get((site.home, database, queue)) if site is not None else None
        if reader is not None:
            reader.wake()

    def hurry(self) -> None:
        """The faults are over: readers take their time no more."""
        for reader in self._readers.values():
            reader.hurry()

    def _plan(self, seconds: float, task: Callable[[], None]) -> None:
        """Do something so many seconds from now, and know that it is still to come."""
        self.planned += 1

        def happen() -> None:
            self.planned -= 1
            task()

        self._agenda.after(seconds, happen)

    def _party(self, site: Site, handle: ConversationHandle) -> Party:
        """The side of a conversation that has this handle."""
        key = (site.home, site.database, handle)
        if key not in self._parties:
            self._parties[key] = Party(self._clerk, site, site.database, handle)
        return self._parties[key]

    # ── the initiator ────────────────────────────────────────────────────────────────────────────────────────────
    def _begin_dialog(self, flow: Flow) -> None:
        site = self._sites[flow.instance, flow.database]
        command = BeginDialog(
            command_id=self._clerk.new_id(),
            database=flow.database,
            from_service=flow.service,
            to_service=flow.to_service,
            encryption=flow.security is not SecurityKind.NONE,
        )

        def begun(reply: Reply) -> None:
            if isinstance(reply, DialogBegun):
                self._talk(flow, self._party(site, reply.conversation_handle))

        self._clerk.ask(site, command, begun)

    def _talk(self, flow: Flow, party: Party) -> None:
        """Plan the messages of a dialog and its end."""
        dice = self._dice
        ending = dice.choose(flow.endings)
        count = dice.number(*flow.messages)
        fails_at = dice.number(0, count - 1)
        pause = 0.0 if dice.chance(BURST_SHARE) else flow.pause_seconds
        at, replies = 0.0, 0
        for number in range(count):
            orders = [REPLY] if dice.chance(flow.replies) else []
            replies += len(orders)
            if ending is Ending.TARGET and number == count - 1:
                orders.append(END)
            if ending is Ending.TARGET_ERROR and number == fails_at:
                orders.append(FAIL)
            if ending is Ending.INITIATOR_ERROR and number == fails_at:
                self._plan(at, partial(party.end, with_error=True))
            self._plan(at, partial(party.say, tuple(orders), dice.number(*flow.body_bytes)))
            at += dice.about(pause)
        if ending is Ending.HASTY:
            self._plan(at, party.end)
        elif ending is Ending.INITIATOR:
            self._plan(at, partial(party.end_when_heard, replies))

    # ── whoever reads ────────────────────────────────────────────────────────────────────────────────────────────
    def _handle_rows(self, site: Site, rows: Sequence[QueueRow]) -> None:
        """Do what received messages ask for."""
        for wish in self._wishes(site, rows):
            party = wish.party
            if wish.answer_bytes is not None:
                party.say((), wish.answer_bytes)
            if wish.ends:
                party.end(with_error=wish.ends_with_error, again=not wish.is_letter)
            if wish.is_letter:
                party.hear()

    def _wishes(self, site: Site, rows: Sequence[QueueRow]) -> list[Wish]:
        """What received messages ask for."""
        return [self._wish(self._party(site, row.conversation_handle), row) for row in rows]

    def _wish(self, party: Party, row: QueueRow) -> Wish:
        if row.message_type_name == DIALOG_TIMER_TYPE:
            return Wish(party=party, is_letter=False)
        if row.message_type_name in (END_DIALOG_TYPE, ERROR_TYPE):
            # Also of a conversation that was ended before: then a restore has brought it back.
            return Wish(party=party, is_letter=False, ends=True)
        letter = read(row.message_body)
        orders = letter.orders if letter is not None else ()
        return Wish(
            party=party,
            is_letter=True,
            answer_bytes=self._dice.number(*ANSWER_BYTES) if REPLY in orders else None,
            ends=END in orders or FAIL in orders,
            ends_with_error=FAIL in orders,
        )


def _drawn(scenario: Scenario, dice: Dice) -> tuple[Flow, ...]:
    """The flows of this run: some of them, at least one."""
    if not scenario.draws_subset:
        return scenario.flows
    chosen = tuple(flow for flow in scenario.flows if dice.chance(flow.share))
    return chosen or (dice.choose(scenario.flows),)
