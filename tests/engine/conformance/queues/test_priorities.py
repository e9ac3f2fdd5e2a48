"""Conversation priorities (protocol.md 11; tsql.md 7)."""

import pytest

from engine.core.catalog.changes import (
    ContractDropped,
    PriorityAltered,
    PriorityCreated,
    PriorityDropped,
    PriorityHonoured,
    ServiceDropped,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.difference import diff
from engine.core.catalog.objects import BrokerPriority
from engine.core.catalog.priorities import priority_level
from engine.core.catalog.revision import apply_changes
from engine.core.exchange.commands import GetConversationGroup, MoveConversation
from tests.support.world import World, route


def create(name, level, contract=None, local=None, remote=None):
    return PriorityCreated(database="Ventes", priority=BrokerPriority(name, contract, local, remote, level))


# ── which level ──
MATCH_ORDER = [
    ("C", "L", "R"),
    ("C", "L", None),
    ("C", None, "R"),
    ("C", None, None),
    (None, "L", "R"),
    (None, "L", None),
    (None, None, "R"),
    (None, None, None),
]


@pytest.mark.parametrize("first", range(9))
def test_the_first_that_fits_in_the_documented_order_counts(first):
    """protocol.md 11: match order, else 5."""
    defined = {
        f"p{place}": BrokerPriority(f"p{place}", *criteria, 10 - place)
        for place, criteria in reversed(list(enumerate(MATCH_ORDER)))
        if place >= first
    }
    database = DatabaseCatalog(name="Ventes", broker_instance=None, priorities=defined)
    assert priority_level(database, "C", "L", "R") == (10 - first if first < 8 else 5)


def test_criteria_of_others_do_not_count():
    defined = {"p": BrokerPriority("p", "C", "L", "R", 9)}
    database = DatabaseCatalog(name="Ventes", broker_instance=None, priorities=defined)
    assert {priority_level(database, *each) for each in (("X", "L", "R"), ("C", "X", "R"), ("C", "L", "X"))} == {5}


def test_the_level_is_fixed_at_creation_and_each_side_has_its_own(desk):
    """protocol.md 11: assigned to each endpoint at its creation; never changed later; never transmitted."""
    desk.define(create("of the client", 8, local="Client"), create("of the target", 2, local="Guichet"))
    client = desk.ask("a")
    desk.define(PriorityAltered(database="Ventes", name="OF THE CLIENT", level=3))
    [row] = desk.receive().messages
    assert desk.endpoint(client).priority == 8
    assert desk.endpoint(row.conversation_handle).priority == row.priority == 2
    assert desk.endpoint(desk.ask()).priority == 3
    desk.crash()
    assert desk.endpoint(client).priority == 8


# ── receiving ──
def test_receive_takes_the_group_of_the_highest_priority_first(desk):
    """protocol.md 11: receiving always honours priorities."""
    desk.ask("old")
    desk.define(create("urgent", 9, remote="Client"))
    desk.ask("urgent")
    desk.ask("urgent too")
    assert [desk.read(), desk.read(), desk.read()] == [["urgent"], ["urgent too"], ["old"]]


def test_inside_a_group_whole_conversations_by_descending_priority(desk):
    """protocol.md 11 and 12: group priority is the highest of its conversations; conversations one after another."""
    for level, remote, body in ((3, "Client", "low"), (9, "Client", "high")):
        desk.define(create(body, level, remote=remote))
        desk.ask(f"{body} 1", f"{body} 2")
        desk.define(PriorityDropped(database="Ventes", name=body))
    desk.ask("middle")
    low, _, high, *_ = desk.node.instance.peek("Ventes", "dbo.Guichet", 9).messages
    desk.do(
        MoveConversation,
        conversation_handle=low.conversation_handle,
        conversation_group_id=high.conversation_group_id,
    )
    found = desk.do(GetConversationGroup, queue="dbo.Guichet").conversation_group_id
    assert found == high.conversation_group_id
    assert desk.read() == ["high 1", "high 2", "low 1", "low 2"]
    assert desk.read() == ["middle"]


# ── sending ──
def sent_when_the_link_comes_up(*, honoured):
    """Two dialogs wait for LYON, the urgent one begun last; the bodies in the order in which they leave."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Urgent"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"]))
    lyon.kill()
    paris.define(create("urgent", 9, local="Urgent"))
    if honoured:
        paris.define(PriorityHonoured(database="Ventes", is_honoured=True))
    for service in ("Client", "Urgent"):
        handle = paris.begin("Ventes", service, "Entrepôt")
        for number in range(3):
            paris.say("Ventes", handle, f"{service} {number}")
    left = []
    paris.send = lambda outbound: left.append(outbound.message.message.body.decode())
    lyon.start()
    world.run(90)
    return left[:6]


def test_sending_goes_by_priority_only_with_honor_broker_priority():
    """protocol.md 11: off, everything is sent as 5."""
    client, urgent = ([f"{service} {number}" for number in range(3)] for service in ("Client", "Urgent"))
    assert sent_when_the_link_comes_up(honoured=True) == urgent + client
    assert sent_when_the_link_comes_up(honoured=False) == client + urgent


# ── definitions ──
REFUSED = {
    "level 0": (153, create("q", 0)),
    "level 11": (153, create("q", 11)),
    "no name": (1038, create(" ", 5)),
    "twice": (2714, create("P", 5, local="Client")),
    "the same criteria": (153, create("q", 6, local="Guichet")),
    "no such contract": (15151, create("q", 6, contract="Nix")),
    "no such service": (15151, create("q", 6, local="Nix")),
    "far service too long": (8412, create("q", 6, remote="x" * 257)),
    "alter what is not there": (15151, PriorityAltered(database="Ventes", name="q", level=3)),
    "alter to level 12": (153, PriorityAltered(database="Ventes", name="p", level=12)),
    "drop what is not there": (15151, PriorityDropped(database="Ventes", name="q")),
    "drop a service that is named": (3716, ServiceDropped(database="Ventes", name="Guichet")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_has_its_number_and_changes_nothing(desk, case):
    """tsql.md 7."""
    number, change = REFUSED[case]
    desk.define(create("p", 7, local="Guichet"))
    before = desk.node.instance.catalog
    assert desk.define(change).number == number
    assert desk.node.instance.catalog == before


def test_a_contract_that_a_priority_names_is_not_dropped(desk):
    from engine.core.catalog.changes import ContractCreated, MessageTypeCreated
    from engine.core.catalog.objects import Contract, ContractUse, MessageType, SentBy

    desk.define(
        MessageTypeCreated(database="Ventes", message_type=MessageType("T")),
        ContractCreated(database="Ventes", contract=Contract("C", (ContractUse("T", SentBy.ANY),))),
        create("p", 7, contract="C"),
    )
    assert desk.define(ContractDropped(database="Ventes", name="C")).number == 3716


def test_any_takes_a_criterion_away(desk):
    desk.define(create("p", 7, local="Guichet"), PriorityAltered(database="Ventes", name="p", local_service="ANY"))
    assert desk.node.instance.catalog.databases["Ventes"].priorities["p"] == BrokerPriority("p", level=7)


def test_a_difference_of_priorities_is_found_and_mended(desk):
    desk.define(create("p", 7, local="Guichet"), create("q", 3))
    before = desk.node.instance.catalog
    changes = [
        PriorityAltered(database="Ventes", name="p", level=2),
        PriorityDropped(database="Ventes", name="q"),
        create("r", 4, remote="x"),
        PriorityHonoured(database="Ventes", is_honoured=True),
    ]
    after = apply_changes(before, changes)
    for one, other in ((before, after), (after, before)):
        assert diff(apply_changes(one, diff(one, other)), other) == ()
        assert apply_changes(one, diff(one, other)).databases == other.databases
    assert diff(before, before) == ()
