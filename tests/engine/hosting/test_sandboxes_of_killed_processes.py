"""A sandbox whose process is killed: who lets go of what its sessions have locked, and what its clock shows later."""

from uuid import uuid4

import pytest

from engine.core.exchange.commands import BeginTransaction, Receive, RollbackTransaction
from engine.core.exchange.replies import MessagesReceived, TransactionBegun
from engine.core.vocabulary.identifiers import TransactionId
from engine.hosting.sandboxes.entry_log import MemoryEntryLog
from engine.hosting.sandboxes.keeper import SandboxKeeper
from engine.hosting.sandboxes.kept_hands import KeptHands
from engine.sandbox.actions import CommandsGiven
from engine.sandbox.sandbox import Sandbox
from tests.engine.hosting.test_sandbox_keeper import NAME, Wall, open_sandbox, order, seconds


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def log() -> MemoryEntryLog:
    log = MemoryEntryLog()
    open_sandbox(log, NAME)
    return log


def a_session_takes_a_message(keeper: SandboxKeeper) -> TransactionId:
    """A session of that keeper's process receives inside a transaction, and neither commits nor rolls back."""
    hands = KeptHands(keeper, NAME)
    begin = CommandsGiven(instance="EAST", commands=(BeginTransaction(command_id=uuid4()),))
    (begun,) = hands.perform(begin).replies
    assert isinstance(begun, TransactionBegun)
    receive = Receive(command_id=uuid4(), database="Store", queue="dbo.Inbox", top=10, transaction=begun.transaction)
    (received,) = hands.perform(CommandsGiven(instance="EAST", commands=(receive,))).replies
    assert isinstance(received, MessagesReceived)
    assert received.messages
    return begun.transaction


def open_transactions(keeper: SandboxKeeper) -> int:
    return keeper.look(NAME, lambda sandbox: len(sandbox.open_transactions()))


def received_now(keeper: SandboxKeeper) -> int:
    receive = Receive(command_id=uuid4(), database="Store", queue="dbo.Inbox", top=10)
    (reply,) = keeper.perform(NAME, CommandsGiven(instance="EAST", commands=(receive,))).replies
    assert isinstance(reply, MessagesReceived)
    return len(reply.messages)


def test_what_a_killed_process_has_locked_is_let_go_by_the_next_one(log: MemoryEntryLog, wall: Wall):
    killed = SandboxKeeper(log, wall, is_alone=True)
    order(killed)
    killed.step(NAME, 5.0)
    a_session_takes_a_message(killed)
    assert (open_transactions(killed), received_now(killed)) == (1, 0)
    following = SandboxKeeper(log, wall, is_alone=True)
    assert open_transactions(following) == 0
    assert received_now(following) == 1


def test_it_is_in_the_log_so_that_the_run_is_the_same_when_it_is_played_again(log: MemoryEntryLog, wall: Wall):
    killed = SandboxKeeper(log, wall, is_alone=True)
    order(killed)
    killed.step(NAME, 5.0)
    a_session_takes_a_message(killed)
    following = SandboxKeeper(log, wall, is_alone=True)
    received_now(following)
    replayed = Sandbox(log.spec(NAME))
    replayed.replay(log.read_after(NAME, 0))
    assert replayed.open_transactions() == ()
    assert replayed.peek("EAST", "Store", "dbo.Inbox", 10).messages == ()


def test_the_next_process_may_write_first_as_well_as_read(log: MemoryEntryLog, wall: Wall):
    killed = SandboxKeeper(log, wall, is_alone=True)
    order(killed)
    killed.step(NAME, 5.0)
    a_session_takes_a_message(killed)
    assert received_now(SandboxKeeper(log, wall, is_alone=True)) == 1


def test_one_of_several_processes_leaves_the_sessions_of_others_alone(log: MemoryEntryLog, wall: Wall):
    one, other = SandboxKeeper(log, wall), SandboxKeeper(log, wall)
    order(one)
    one.step(NAME, 5.0)
    transaction = a_session_takes_a_message(one)
    assert (open_transactions(other), received_now(other)) == (1, 0)
    rollback = RollbackTransaction(command_id=uuid4(), transaction=transaction)
    KeptHands(one, NAME).perform(CommandsGiven(instance="EAST", commands=(rollback,)))
    assert (open_transactions(other), received_now(other)) == (0, 1)


# ── clocks ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_no_time_passes_in_a_run_while_no_process_lives(log: MemoryEntryLog, wall: Wall):
    killed = SandboxKeeper(log, wall)
    killed.set_rate(NAME, 10.0)
    wall.seconds += 5.0
    assert seconds(killed) == 50.0
    last_sign_of_life = wall.seconds
    wall.seconds += 60.0
    following = SandboxKeeper(log, wall)
    following.stood_still(since=last_sign_of_life)
    assert seconds(following) == 50.0
    wall.seconds += 2.0
    assert seconds(following) == 70.0


def test_a_clock_that_is_set_later_knows_nothing_of_it(log: MemoryEntryLog, wall: Wall):
    following = SandboxKeeper(log, wall)
    wall.seconds += 100.0
    following.stood_still(since=wall.seconds - 60.0)
    wall.seconds += 1.0
    following.set_rate(NAME, 10.0)
    wall.seconds += 5.0
    assert seconds(following) == 50.0


def test_a_clock_that_stood_still_stands_still(log: MemoryEntryLog, wall: Wall):
    SandboxKeeper(log, wall).step(NAME, 30.0)
    wall.seconds += 100.0
    following = SandboxKeeper(log, wall)
    following.stood_still(since=wall.seconds - 50.0)
    wall.seconds += 10.0
    assert seconds(following) == 30.0


def test_where_the_log_takes_no_more_time_stands_where_it_was(log: MemoryEntryLog, wall: Wall):
    killed = SandboxKeeper(log, wall)
    killed.set_rate(NAME, 10.0)
    wall.seconds += 5.0
    log.close(NAME)
    following = SandboxKeeper(log, wall)
    following.stood_still(since=wall.seconds)
    wall.seconds += 60.0
    assert seconds(following) == 50.0
