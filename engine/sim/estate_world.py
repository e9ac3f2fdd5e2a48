"""`EstateWorld`: an estate of given catalogs at work, on virtual time, with the faults that a what-if supposes.

Instances, drivers, links and forwarders are the real ones; what differs from a live estate is the network, the disk
and the clock. Nothing goes wrong but what is asked for. Deterministic: the same arguments take the same course.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from engine.core.catalog.builtin import message_type_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Validation
from engine.core.exchange.commands import BeginDialog, EndConversation, Send
from engine.core.exchange.replies import DialogBegun, MessageSent, Refusal, Reply
from engine.core.link.handshake import LoginTerms
from engine.core.link.negotiation import policy_of
from engine.core.routing.draws import Draws
from engine.core.vocabulary.identifiers import CommandId, InstanceName, MessageTypeName
from engine.core.vocabulary.limits import DEFAULT_PORT
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.settings import EngineSettings
from engine.sim.clock import EPOCH, Agenda, MachineClock
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.estate_faults import strike
from engine.sim.estate_network import EstateNetwork
from engine.sim.history import Journal, Observer
from engine.sim.network import LinkProfile
from engine.sim.paper_vault import CatalogLinkSecurity, PaperVault, certificates_of
from engine.sim.server import OnReply, Server, World
from engine.sim.witness import Conversation, Side, Witness
from engine.whatif.beginning import spoken
from engine.whatif.faults import Fault, Faults
from engine.whatif.snapshot import Snapshot
from engine.whatif.speech import BODY
from engine.whatif.telling import FlowQuestion

HAPPENINGS_MAX: Final = 200_000
"""Things that may happen in a world before it stands still."""
SETTLED_SECONDS: Final = 2.0
"""So long after the beginning every fault has struck."""
CALM: Final = LinkProfile()


class EstateWorld:
    """One world. Faults have struck when it has been made; what is begun in it finds them in place."""

    def __init__(
        self,
        catalogs: Mapping[InstanceName, InstanceCatalog],
        *,
        at: UtcTime,
        seed: int,
        faults: Iterable[Fault] = (),
        link: LinkProfile = CALM,
        draws: Mapping[InstanceName, Draws] | None = None,
        settings: EngineSettings | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        """A world that begins at `at`; `link` says what paths are like, `draws` answers draws instead of turns.

        Raises `CatalogError` 15151 for a fault of what the estate does not have.
        """
        given = {catalog.name: catalog for catalog in catalogs.values()}
        found = Faults(given, faults)
        settings = settings or EngineSettings()
        self.agenda: Final = Agenda(HAPPENINGS_MAX)
        self.witness: Final = Witness()
        journal = Journal()
        journal.tell([self.witness, *observers])
        network = EstateNetwork(self.agenda, Dice(seed, "network"), given.values())
        network.set_profiles(link, ())
        dice = Dice(seed, "handshakes")
        known = {each.certificate: each for each in certificates_of(given.values())}
        world = World(
            network=network,
            journal=journal,
            entropy=SeededEntropy(Dice(seed, "entropy")),
            dice=Dice(seed, "servers"),
            settings=settings,
            on_delivered=lambda *queue: None,
            draws=draws or {},
            terms=lambda catalog: LoginTerms(
                policy=policy_of(catalog.endpoint, settings.link.authentication),
                security=CatalogLinkSecurity(dice, catalog, known),
            ),
            vault=PaperVault(given.values()),
        )
        self._supposed = Snapshot(given, at=at, faults=found.all)
        self._ids = Dice(seed, "commands")
        self.servers: Final = {
            name: Server(world, catalog, _address_of(catalog), MachineClock(self.agenda, offset=at - EPOCH))
            for name, catalog in given.items()
        }
        network.servers = self.servers
        self.run(SETTLED_SECONDS / 2)
        strike(self.servers, network, found, self._new_id)
        self.run(SETTLED_SECONDS / 2)

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Let so many seconds pass, or fewer, until something has come true; answers whether it has."""
        end = self.agenda.seconds + seconds
        step = 0.5
        while not until() and self.agenda.seconds < end and not self.agenda.is_exhausted:
            self.agenda.run_until(min(self.agenda.seconds + step, end))
            step = min(2 * step, 8.0)
        return until()

    # ── what people do ───────────────────────────────────────────────────────────────────────────────────────────
    def begin(self, flow: FlowQuestion) -> Conversation:
        """BEGIN DIALOG and one SEND. What becomes of it is seen in the conversation as time passes.

        A flow that names no contract or no message type is begun with those with which a what-if asks it.
        """
        asked = flow if None not in (flow.contract, flow.message_type) else spoken(self._supposed, flow)
        assert asked.contract is not None, "what is asked is said under a contract"
        assert asked.message_type is not None, "what is said has a type"
        said, conversation = asked.message_type, Conversation(asked.contract)
        server = self.servers[flow.instance]

        def begun(reply: Reply | None) -> None:
            if isinstance(reply, DialogBegun):
                side = Side(server.name, flow.database, reply.conversation_handle, flow.service)
                self.witness.watch(reply.conversation_id, conversation, side)
                self._send(side, said, lambda sent: _check_sent(conversation, sent))
            else:
                _not_done(conversation, reply)

        server.execute(
            BeginDialog(
                command_id=self._new_id(),
                database=flow.database,
                from_service=flow.service,
                to_service=flow.to_service,
                to_broker_instance=flow.broker_instance,
                contract=asked.contract,
                encryption=flow.encryption,
            ),
            begun,
        )
        return conversation

    def reply(self, conversation: Conversation, side: Side) -> None:
        """SEND by one target of a conversation; END CONVERSATION where its contract lets it send nothing.

        Harmless where that side cannot send any more.
        """
        home = conversation.initiator
        assert home is not None, "what was begun has an initiator"
        definitions = self._supposed.definitions
        place = (side.instance, side.database)
        said = definitions.reply(place, (home.instance, home.database), conversation.contract)
        if said is not None:
            self._send(side, said.message_type, lambda sent: None)
            return
        command = EndConversation(command_id=self._new_id(), database=side.database, conversation_handle=side.handle)
        self.servers[side.instance].execute(command, lambda ended: None)

    def _send(self, side: Side, message_type: MessageTypeName, then: OnReply) -> None:
        """With a body that the type allows where it is sent."""
        catalog = self.servers[side.instance].instance.catalog.databases[side.database]
        known = message_type_of(catalog, message_type)
        is_empty = known is not None and known.validation is Validation.EMPTY
        command = Send(
            command_id=self._new_id(),
            database=side.database,
            conversation_handle=side.handle,
            message_type=message_type,
            body=None if is_empty else BODY,
        )
        self.servers[side.instance].execute(command, then)

    def _new_id(self) -> CommandId:
        return CommandId(self._ids.uuid())


def _check_sent(conversation: Conversation, reply: Reply | None) -> None:
    if not isinstance(reply, MessageSent):
        _not_done(conversation, reply)


def _not_done(conversation: Conversation, reply: Reply | None) -> None:
    if isinstance(reply, Refusal):
        conversation.refused = reply.number
    else:
        conversation.is_unanswered = True


def _address_of(catalog: InstanceCatalog) -> TcpAddress:
    """Where a server is shown to be; nothing is found by it."""
    return TcpAddress(catalog.name.lower(), DEFAULT_PORT if catalog.endpoint is None else catalog.endpoint.port)
