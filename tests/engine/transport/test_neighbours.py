"""Two instances that both dial and accept, over real TCP: they keep one connection between them (protocol.md 7.1).

PARIS ◀──── one connection, whoever dials ────▶ LYON
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID, uuid4

import pytest

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.handshake import LinkIdentity, LoginTerms, Peer
from engine.core.link.negotiation import Algorithm, EncryptionLevel, LinkPolicy, Protection
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LinkState, Outbound, TcpAddress
from engine.core.vocabulary.mirrors import AskerGone, RoleAnswer, RoleAsked, RoleClaimed, RoleQuestion
from engine.core.vocabulary.settings import LinkSettings
from engine.transport.certificates import CertificateStore
from engine.transport.dialer import Dialer, HostUnknown
from engine.transport.endpoint import BrokerEndpoint
from engine.transport.link import LinkShell
from engine.transport.switchboard import Switchboard
from tests.support import hand_clock
from tests.support.hand_clock import HandTime, LoopClock, turns
from tests.support.wire_messages import message

DATABASE = BrokerInstanceId(uuid4())
ENCRYPTED = LinkPolicy(encryption=EncryptionLevel.REQUIRED, algorithms=(Algorithm.AES,))


class Server:
    """One instance's network, and what it heard."""

    def __init__(
        self,
        name: str,
        arbitration_id: int,
        places: dict[TcpAddress, tuple[str, int]],
        settings: LinkSettings | None = None,
    ) -> None:
        settings = settings or LinkSettings()
        self.address = TcpAddress(name.lower(), 4022)
        self.heard: list[int | None] = []
        self.changes: list[LinkChange] = []
        self.claims: list[RoleClaimed] = []
        self.asked: list[RoleAsked | AskerGone] = []
        self.policy = ENCRYPTED
        self._places = places
        self._port: int | None = None
        identity = LinkIdentity(
            estate=EstateName("demo"), instance=InstanceName(name), arbitration_id=UUID(int=arbitration_id)
        )
        self.switchboard = Switchboard(identity.arbitration_id)
        self.dialer = Dialer(
            identity,
            settings,
            LoopClock(),
            resolve=self._resolve,
            on_change=self.changes.append,
            on_messages=self._hear,
            on_claim=self.claims.append,
            switchboard=self.switchboard,
            terms=self._terms,
        )
        self.endpoint = BrokerEndpoint(
            identity,
            settings,
            LoopClock(),
            on_messages=self._hear,
            on_asker=self.asked.append,
            host="127.0.0.1",
            switchboard=self.switchboard,
            terms=self._terms,
        )

    async def start(self) -> None:
        self._port = await self.endpoint.start()
        self._places[self.address] = ("127.0.0.1", self._port)

    def send(self, to: "Server", sequence: int) -> None:
        self.dialer.send(Outbound(to.address, message(sequence)))

    def is_connected_to(self, address: TcpAddress) -> bool:
        told = [change for change in self.changes if change.address == address]
        return bool(told) and told[-1].state is LinkState.LOGGED_IN

    def close(self) -> None:
        self.dialer.close()
        self.endpoint.stop()

    def _terms(self) -> LoginTerms:
        return LoginTerms(policy=self.policy, security=CertificateStore(), listening_port=self._port)

    def _hear(self, _: object, messages: list[ForwardedMessage]) -> None:
        self.heard += [each.message.sequence for each in messages]

    def _resolve(self, address: TcpAddress) -> tuple[str, int]:
        if address not in self._places:
            raise HostUnknown(address.host)
        return self._places[address]


class Pair:
    def __init__(self, paris_id: int, lyon_id: int) -> None:
        self.places: dict[TcpAddress, tuple[str, int]] = {}
        self.paris = Server("PARIS", paris_id, self.places)
        self.lyon = Server("LYON", lyon_id, self.places)

    async def start(self) -> None:
        await self.paris.start()
        await self.lyon.start()

    def connections(self) -> tuple[int, int]:
        return len(self.paris.switchboard.links()), len(self.lyon.switchboard.links())


@pytest.fixture(params=[(1, 2), (2, 1)], ids=["paris-lower", "lyon-lower"])
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    pair = Pair(*request.param)
    await pair.start()
    yield pair
    pair.paris.close()
    pair.lyon.close()


async def until(condition: Callable[[], bool]) -> None:
    """What is waited for has many ways to come about."""
    await hand_clock.until(condition, "the two agree")


async def dial(caller: Server, address: TcpAddress) -> None:
    caller.dialer.dial(address)
    await until(lambda: caller.is_connected_to(address))


async def test_7_1_answers_go_over_the_connection_that_the_neighbour_has_opened(pair: Pair):
    await dial(pair.paris, pair.lyon.address)
    await dial(pair.lyon, pair.paris.address)
    assert pair.connections() == (1, 1)
    pair.paris.send(pair.lyon, 1)
    pair.lyon.send(pair.paris, 2)
    await until(lambda: pair.lyon.heard == [1] and pair.paris.heard == [2])
    [link] = pair.lyon.switchboard.links()
    assert link.connection.known_peer is not None
    assert link.connection.known_peer.protection is Protection.AES


async def test_7_1_when_both_connect_at_once_one_connection_stays_and_both_go_over_it(pair: Pair):
    pair.paris.dialer.dial(pair.lyon.address)
    pair.lyon.dialer.dial(pair.paris.address)
    await until(
        lambda: (
            pair.paris.is_connected_to(pair.lyon.address)
            and pair.lyon.is_connected_to(pair.paris.address)
            and pair.connections() == (1, 1)
        )
    )
    pair.paris.send(pair.lyon, 1)
    pair.lyon.send(pair.paris, 2)
    await until(lambda: pair.lyon.heard == [1] and pair.paris.heard == [2])
    assert [change.error for change in pair.paris.changes + pair.lyon.changes if change.error] == []


async def test_7_1_two_addresses_of_one_instance_share_a_connection(pair: Pair):
    other_name = TcpAddress("lyon.example", 4022)
    await dial(pair.paris, pair.lyon.address)
    pair.places[other_name] = ("localhost", pair.places[pair.lyon.address][1])
    await dial(pair.paris, other_name)
    await until(lambda: pair.connections() == (1, 1))
    pair.paris.dialer.hang_up(pair.lyon.address)
    pair.paris.dialer.send(Outbound(other_name, message(7)))
    await until(lambda: pair.lyon.heard == [7])


async def test_7_1_a_connection_of_a_neighbour_that_has_restarted_gives_way_to_its_new_one(pair: Pair):
    await dial(pair.paris, pair.lyon.address)
    reborn = Server("PARIS", 3, pair.places)
    reborn.dialer.dial(pair.lyon.address)
    await until(lambda: reborn.is_connected_to(pair.lyon.address))
    await until(lambda: len(pair.lyon.switchboard.links()) == 1)
    reborn.send(pair.lyon, 5)
    await until(lambda: pair.lyon.heard == [5])
    reborn.close()


async def test_what_rides_on_a_connection_ends_with_it(pair: Pair):
    await dial(pair.paris, pair.lyon.address)
    await dial(pair.lyon, pair.paris.address)
    pair.paris.close()
    await until(lambda: pair.lyon.changes[-1].state is LinkState.CLOSED)
    assert pair.lyon.changes[-1].address == pair.paris.address
    assert pair.lyon.changes[-1].error == 9755, "a neighbour that stops is left alone for a while"


async def test_what_rides_on_a_connection_that_is_hung_up_may_be_opened_again_at_once(pair: Pair):
    await dial(pair.paris, pair.lyon.address)
    await dial(pair.lyon, pair.paris.address)
    pair.paris.dialer.hang_up(pair.lyon.address)
    await until(lambda: pair.lyon.changes[-1].state is LinkState.CLOSED)
    assert pair.lyon.changes[-1].error is None
    await dial(pair.lyon, pair.paris.address)


async def test_roles_are_asked_and_claimed_in_both_directions_of_one_connection(pair: Pair):
    await dial(pair.paris, pair.lyon.address)
    await dial(pair.lyon, pair.paris.address)
    for asking, answering in ((pair.paris, pair.lyon), (pair.lyon, pair.paris)):
        asking.dialer.ask_role(RoleQuestion(answering.address, DATABASE))
        await until(lambda answering=answering: answering.asked != [])
        question = answering.asked[0]
        assert isinstance(question, RoleAsked)
        answering.endpoint.answer_role(RoleAnswer(question.asker, DATABASE, is_principal=True))
        await until(lambda asking=asking: asking.claims != [])
        assert asking.claims == [RoleClaimed(answering.address, DATABASE, is_principal=True)]
    assert pair.connections() == (1, 1)


async def test_a_role_is_asked_again_when_arbitration_moves_the_call_to_another_connection():
    """Else the neighbour would tell a change of its role to a connection that is gone, and to nobody."""
    pair = Pair(1, 2)
    await pair.start()
    await dial(pair.lyon, pair.paris.address)
    pair.lyon.dialer.ask_role(RoleQuestion(pair.paris.address, DATABASE))
    await until(lambda: len(pair.paris.asked) == 1)
    detour = TcpAddress("lyon.example", 4022)
    pair.places[detour] = ("localhost", pair.places[pair.lyon.address][1])
    await dial(pair.paris, detour)
    await until(lambda: pair.connections() == (1, 1))
    await until(lambda: len([each for each in pair.paris.asked if isinstance(each, RoleAsked)]) == 2)
    first, second = [each for each in pair.paris.asked if isinstance(each, RoleAsked)]
    assert first.asker != second.asker
    assert AskerGone(first.asker) in pair.paris.asked
    pair.paris.endpoint.answer_role(RoleAnswer(second.asker, DATABASE, is_principal=True))
    await until(lambda: pair.lyon.claims == [RoleClaimed(pair.paris.address, DATABASE, is_principal=True)])
    pair.paris.close()
    pair.lyon.close()


async def test_7_3_encryption_that_one_refuses_and_the_other_demands_is_9758_with_28027(pair: Pair):
    pair.lyon.policy = LinkPolicy()
    pair.paris.dialer.dial(pair.lyon.address)
    await until(lambda: pair.paris.changes != [] and pair.paris.changes[-1].state is LinkState.CLOSED)
    assert pair.paris.changes[-1].error == 9758
    assert "28027" in pair.paris.changes[-1].detail


async def test_an_instance_may_call_itself(pair: Pair):
    await dial(pair.paris, pair.paris.address)
    pair.paris.send(pair.paris, 3)
    await until(lambda: pair.paris.heard == [3])
    assert pair.connections() == (2, 0)


async def test_flow_control_a_handshake_is_read_to_its_end_while_messages_are_held(pair: Pair):
    pair.lyon.switchboard.hold_receiving(is_held=True)
    await dial(pair.paris, pair.lyon.address)
    pair.paris.send(pair.lyon, 1)
    await turns()
    assert pair.lyon.heard == []
    assert [link.connection.is_receive_flow_controlled for link in pair.lyon.switchboard.links()] == [True]
    pair.lyon.switchboard.hold_receiving(is_held=False)
    await until(lambda: pair.lyon.heard == [1])


async def test_flow_control_a_held_network_delivers_nothing_and_then_everything(pair: Pair):
    await dial(pair.paris, pair.lyon.address)
    pair.lyon.switchboard.hold_receiving(is_held=True)
    for sequence in range(100):
        pair.paris.send(pair.lyon, sequence)
    await turns()
    assert pair.lyon.heard == []
    pair.lyon.switchboard.hold_receiving(is_held=False)
    await until(lambda: pair.lyon.heard == list(range(100)))


# ── a connection that loses arbitration ──
class Choosy:
    """PARIS as a neighbour that always prefers another connection, which it may or may not open."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self.refused = 0

    async def listen(self) -> asyncio.Server:
        server = await asyncio.get_running_loop().create_server(self._accept, "127.0.0.1", 0)
        self._pair.places[self._pair.paris.address] = server.sockets[0].getsockname()[:2]
        return server

    def _accept(self) -> LinkShell:
        def prefer_another(_: Peer) -> int:
            self.refused += 1
            return 28032

        connection = AdjacentBrokerConnection(
            LinkRole.ACCEPTING,
            LinkIdentity(estate=EstateName("demo"), instance=InstanceName("PARIS"), arbitration_id=UUID(int=9)),
            LinkSettings(),
            LoopClock().now(),
            terms=LoginTerms(policy=ENCRYPTED, security=CertificateStore()),
            arbiter=prefer_another,
        )
        return LinkShell(connection, LoopClock(), lambda _: None, lambda *_: None, lambda _: None)


async def test_7_1_a_call_that_loses_waits_for_the_connection_that_the_neighbour_prefers(pair: Pair):
    choosy = Choosy(pair)
    async with await choosy.listen():
        pair.lyon.dialer.dial(pair.paris.address)
        await until(lambda: choosy.refused == 1)
        await until(lambda: pair.lyon.switchboard.links() == [])
        assert [change.state for change in pair.lyon.changes] == [LinkState.CONNECTED]
        await dial(pair.paris, pair.lyon.address)
        await until(lambda: pair.lyon.is_connected_to(pair.paris.address))
    pair.lyon.send(pair.paris, 4)
    await until(lambda: pair.paris.heard == [4])


async def test_7_1_a_call_that_waits_in_vain_ends_with_28032():
    pair = Pair(1, 2)
    await pair.lyon.start()
    choosy = Choosy(pair)
    async with await choosy.listen():
        time = HandTime()
        pair.lyon.dialer.dial(pair.paris.address)
        await until(lambda: choosy.refused == 1)
        await until(lambda: pair.lyon.switchboard.links() == [])
        await time.advance(LinkSettings().handshake_seconds - 1)
        assert [change.state for change in pair.lyon.changes] == [LinkState.CONNECTED]
        await time.advance(1)
        await until(lambda: pair.lyon.changes[-1:] != [] and pair.lyon.changes[-1].state is LinkState.CLOSED)
    assert pair.lyon.changes[-1].error == 28032
    pair.lyon.close()


async def test_7_1_a_call_that_is_hung_up_while_it_waits_is_never_heard_of_again(pair: Pair):
    choosy = Choosy(pair)
    async with await choosy.listen():
        pair.lyon.dialer.dial(pair.paris.address)
        await until(lambda: choosy.refused == 1)
        await until(lambda: pair.lyon.switchboard.links() == [])
        pair.lyon.dialer.hang_up(pair.paris.address)
        await dial(pair.paris, pair.lyon.address)
    assert [change.state for change in pair.lyon.changes] == [LinkState.CONNECTED]
