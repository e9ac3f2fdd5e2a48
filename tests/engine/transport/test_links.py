"""Connections between two instances over real TCP on this machine.

PARIS (Dialer) ──── TCP://lyon:4022 ────▶ LYON (BrokerEndpoint)
"""

import asyncio
import socket

from engine.core.vocabulary.limits import LINK_BUFFER_BYTES_MAX, LINK_UNSENT_BYTES_FULL
from engine.core.vocabulary.messages import (
    LinkState,
    TcpAddress,
)
from engine.core.vocabulary.mirrors import AskerGone, RoleAnswer, RoleAsked, RoleClaimed, RoleQuestion
from engine.core.vocabulary.settings import LinkSettings
from tests.engine.transport.network_pair import BODY_OF_A_MEBIBYTE, DATABASE, LYON, Network, heard, send
from tests.support.hand_clock import HandTime, turns, until
from tests.support.wire_messages import message


async def test_a_call_is_reported_until_it_is_logged_in_with_the_name_of_the_peer(network: Network):
    network.ports[LYON] = await network.lyon.start()
    network.paris.dial(LYON)
    changes = [await network.change(), await network.change()]
    assert [(each.state, each.peer, each.error) for each in changes] == [
        (LinkState.CONNECTED, None, None),
        (LinkState.LOGGED_IN, "LYON", None),
    ]
    assert network.lyon.accepted == 1


async def test_messages_arrive_in_order_and_travel_together(network: Network):
    await network.logged_in()
    send(network, range(1000))
    await network.until(lambda: len(network.at_lyon) == 1000)
    assert heard(network) == list(range(1000))
    assert len(network.batches) < 100, "many messages to a frame, many frames to a read"


async def test_a_role_is_asked_claimed_and_told_again_when_it_changes(network: Network):
    await network.logged_in()
    network.paris.ask_role(RoleQuestion(LYON, DATABASE))
    asked = await asyncio.wait_for(network.askers.get(), 10)
    assert isinstance(asked, RoleAsked)
    assert asked.broker_instance == DATABASE
    for is_principal in (True, False):
        network.lyon.answer_role(RoleAnswer(asked.asker, DATABASE, is_principal))
        claim = await asyncio.wait_for(network.claims.get(), 10)
        assert claim == RoleClaimed(LYON, DATABASE, is_principal)


async def test_an_asker_that_hangs_up_is_gone_and_its_answer_goes_nowhere(network: Network):
    await network.logged_in()
    network.paris.ask_role(RoleQuestion(LYON, DATABASE))
    asked = await asyncio.wait_for(network.askers.get(), 10)
    network.paris.hang_up(LYON)
    assert await asyncio.wait_for(network.askers.get(), 10) == AskerGone(asked.asker)
    network.lyon.answer_role(RoleAnswer(asked.asker, DATABASE, is_principal=True))
    await network.logged_in()
    network.paris.ask_role(RoleQuestion(LYON, DATABASE))
    again = await asyncio.wait_for(network.askers.get(), 10)
    assert again.asker != asked.asker
    assert network.claims.empty()


async def test_a_role_asked_without_a_connection_is_lost(network: Network):
    network.paris.ask_role(RoleQuestion(LYON, DATABASE))
    await network.logged_in()
    send(network, [0])
    await network.until(lambda: heard(network) == [0])
    assert network.askers.empty()


async def test_a_large_body_arrives_whole(network: Network):
    await network.logged_in()
    send(network, [0], BODY_OF_A_MEBIBYTE * 4)
    await network.until(lambda: len(network.at_lyon) == 1)
    assert network.at_lyon == [message(0, BODY_OF_A_MEBIBYTE * 4)]


async def test_a_host_that_no_instance_has_is_9783(network: Network):
    network.paris.dial(LYON)
    change = await network.change()
    assert (change.state, change.error, change.detail) == (LinkState.CLOSED, 9783, "no instance is called lyon")


async def test_a_port_where_nothing_listens_is_9754_in_the_words_of_the_system(network: Network):
    network.ports[LYON] = await network.lyon.start()
    network.lyon.stop()
    network.paris.dial(LYON)
    change = await network.change()
    assert (change.state, change.error, change.detail) == (LinkState.CLOSED, 9754, "Connection refused")


async def test_a_peer_that_accepts_and_stays_silent_is_given_up(network: Network):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        network.ports[LYON] = silent.getsockname()[1]
        time = HandTime()
        network.paris.dial(LYON)
        assert (await network.change()).state is LinkState.CONNECTED
        await time.advance(LinkSettings().handshake_seconds - 1)
        assert network.changes.empty()
        await time.advance(1)
        change = await network.closure()
    assert change.error == 9755
    assert change.detail.startswith("28031")


async def test_a_peer_that_answers_nonsense_is_9757(network: Network):
    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()
        writer.close()

    async with await asyncio.start_server(nonsense, "127.0.0.1", 0) as server:
        network.ports[LYON] = server.sockets[0].getsockname()[1]
        network.paris.dial(LYON)
        change = await network.closure()
    assert (change.error, change.detail[:5]) == (9757, "28001")


async def test_an_instance_of_another_estate_is_refused(network: Network):
    network.ports[LYON] = await network.lyon.start()
    network.dialer(estate="elsewhere").dial(LYON)
    change = await network.closure()
    assert change.error == 9755
    assert "28029" in change.detail


async def test_a_stopped_endpoint_tells_its_neighbours_and_can_start_again(network: Network):
    await network.logged_in()
    network.lyon.stop()
    change = await network.closure()
    assert change.error == 9755
    assert change.detail.startswith("9666")
    assert network.lyon.accepted == 0

    await network.logged_in()
    send(network, [0])
    await network.until(lambda: heard(network) == [0])


async def test_a_peer_that_is_cut_off_is_9755(network: Network):
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.transport.abort()

    async with await asyncio.start_server(cut, "127.0.0.1", 0) as server:
        network.ports[LYON] = server.sockets[0].getsockname()[1]
        network.paris.dial(LYON)
        change = await network.closure()
    assert change.error == 9755


async def test_an_idle_connection_closes_without_an_error(network: Network):
    network.ports[LYON] = await network.lyon.start()
    time = HandTime()
    network.paris.dial(LYON)
    while (await network.change()).state is not LinkState.LOGGED_IN:
        pass
    await time.advance(LinkSettings().idle_seconds - 1)
    assert network.changes.empty()
    await time.advance(1)
    change = await network.closure()
    assert change.error is None
    assert change.detail.startswith("9760")


async def test_after_hanging_up_nothing_more_is_said_of_the_call_and_a_new_one_may_begin(network: Network):
    await network.logged_in()
    network.paris.hang_up(LYON)
    send(network, [0])
    network.paris.dial(LYON)
    states = [(await network.change()).state for _ in range(2)]
    assert states == [LinkState.CONNECTED, LinkState.LOGGED_IN]
    assert network.at_lyon == []


async def test_a_report_stands_until_its_address_is_hung_up_or_dialled_again(network: Network):
    """Reports wait in an inbox: the fate of one connection is never taken for that of the next."""
    await network.logged_in()
    network.lyon.stop()
    lost = await network.closure()
    assert network.paris.stands(lost)
    network.ports[LYON] = await network.lyon.start()
    network.paris.dial(LYON)
    assert not network.paris.stands(lost)
    connected = await network.change()
    assert network.paris.stands(connected)
    network.paris.hang_up(LYON)
    assert not network.paris.stands(connected)
    network.paris.dial(LYON)
    while (again := await network.change()) != connected:
        pass
    assert (network.paris.stands(connected), network.paris.stands(again)) == (False, True)


async def test_the_end_of_a_call_that_was_hung_up_is_silent_while_the_next_one_goes_on(network: Network):
    network.ports[LYON] = await network.lyon.start()
    for _ in range(20):
        network.paris.dial(LYON)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        network.paris.hang_up(LYON)
    while not network.changes.empty():
        network.changes.get_nowait()
    network.paris.dial(LYON)
    states = [(await network.change()).state for _ in range(2)]
    await until(lambda: network.lyon.accepted == 1, "the others have ended")
    await turns()
    assert states == [LinkState.CONNECTED, LinkState.LOGGED_IN]
    assert network.changes.empty()


async def test_a_call_hung_up_before_it_was_open_is_never_heard_of(network: Network):
    network.ports[LYON] = await network.lyon.start()
    network.paris.dial(LYON)
    network.paris.hang_up(LYON)
    network.paris.dial(TcpAddress("nowhere", 4022))
    assert (await network.change()).address.host == "nowhere"


async def test_a_peer_that_does_not_read_costs_messages_not_memory(network: Network):
    """Its socket is full, then our buffer is; what comes after is dropped, and nothing of it arrives later."""
    await network.logged_in()
    paris, [lyon] = network.paris._calls[LYON].link, network.lyon._links
    assert paris is not None
    lyon.hold_receiving(is_held=True)
    total = 4 * LINK_BUFFER_BYTES_MAX // len(BODY_OF_A_MEBIBYTE)
    for sequence in range(total):
        send(network, [sequence], BODY_OF_A_MEBIBYTE)
        await asyncio.sleep(0)
    assert paris.connection.is_send_flow_controlled
    assert lyon.connection.is_receive_flow_controlled
    lyon.hold_receiving(is_held=False)
    await network.until(lambda: network.at_lyon != [])
    await network.until(lambda: len(network.at_lyon) == total - paris.dropped)
    send(network, [total])
    await network.until(lambda: heard(network)[-1] == total)
    assert heard(network) == [*range(len(network.at_lyon) - 1), total]
    assert len(network.at_lyon) < total
    assert not paris.connection.is_send_flow_controlled


async def test_one_turn_writes_no_more_than_the_buffer_holds_and_counts_what_it_drops(network: Network):
    await network.logged_in()
    link = network.paris._calls[LYON].link
    assert link is not None
    assert link._transport is not None
    total = 3 * LINK_BUFFER_BYTES_MAX // len(BODY_OF_A_MEBIBYTE)
    link.send([message(sequence, BODY_OF_A_MEBIBYTE) for sequence in range(total)])
    assert link._transport.get_write_buffer_size() <= LINK_UNSENT_BYTES_FULL + 2 * len(BODY_OF_A_MEBIBYTE)
    assert link.dropped > 0
    await network.until(lambda: len(network.at_lyon) == total - link.dropped)
    send(network, [total])
    await network.until(lambda: heard(network)[-1] == total)
    assert heard(network) == [*range(total - link.dropped), total]


async def test_what_a_full_connection_refuses_is_given_back(network: Network):
    await network.logged_in()
    [lyon] = network.lyon._links
    lyon.hold_receiving(is_held=True)
    total = 3 * LINK_BUFFER_BYTES_MAX // len(BODY_OF_A_MEBIBYTE)
    send(network, range(total), BODY_OF_A_MEBIBYTE)
    await asyncio.sleep(0)
    [returned] = network.returned
    assert (returned.address, returned.is_closed) == (LYON, False)
    assert [each.message.sequence for each in returned.messages][-1] == total - 1
    lyon.hold_receiving(is_held=False)
    await network.until(lambda: len(network.at_lyon) == total - len(returned.messages))


async def test_what_a_connection_had_taken_and_never_sent_is_given_back_when_it_closes(network: Network):
    await network.logged_in()
    [lyon] = network.lyon._links
    lyon.hold_receiving(is_held=True)
    send(network, range(10), BODY_OF_A_MEBIBYTE)
    await turns()
    assert lyon._transport is not None
    lyon._transport.abort()
    assert (await network.closure()).state is LinkState.CLOSED
    [returned] = network.returned
    assert returned.is_closed
    assert [each.message.sequence for each in returned.messages][-1] == 9


async def test_messages_for_a_call_that_was_just_lost_are_given_back(network: Network):
    await network.logged_in()
    send(network, [0])
    link = network.paris._calls[LYON].link
    assert link is not None
    link.lost(9755, "reset")
    await asyncio.sleep(0)
    assert [(each.is_closed, len(each.messages)) for each in network.returned] == [(True, 1)]
