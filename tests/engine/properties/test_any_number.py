"""Any number in any command has a reply that can be stored, and what is in memory is what is on the disk.

A number that no store can write must be refused, and its refusal must be written: a commit that fails takes the whole
instance down with it.
"""

import tempfile
import typing
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.changes import ActivationPatch, EndpointAltered, PriorityAltered, PriorityCreated, QueueAltered
from engine.core.catalog.objects import BrokerPriority
from engine.core.exchange import commands
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.inputs import STARTED
from engine.core.exchange.replies import Refusal
from engine.core.instance import Instance
from engine.core.vocabulary.errors import CatalogError
from engine.runtime.driver import InstanceDriver
from engine.storage.sqlite import SqliteStore
from tests.support.thoroughness import examples
from tests.support.world import World

NUMBERS = st.one_of(
    st.integers(),
    st.integers(-(10**40), 10**40),
    st.sampled_from([sign * 2**bits + more for sign in (1, -1) for bits in (31, 32, 63, 64) for more in (-1, 0, 1)]),
    st.sampled_from([10**400, -(10**400), 10**4100, -(10**4100)]),
)
GROUP = UUID(int=77)
CLAUSES = {
    "from_service": "Client",
    "to_service": "Server",
    "queue": "dbo.Client",
    "error_code": 1,
    "error_description": "why",
    "timeout_seconds": 60,
    "conversation_group_id": GROUP,
    "message_type": None,
    "encryption": False,
}


def is_number(annotation):
    return annotation is int or int in typing.get_args(annotation) or getattr(annotation, "__supertype__", None) is int


def numbers_of(struct):
    hints = typing.get_type_hints(struct)
    return [field for field in struct.__struct_fields__ if is_number(hints[field])]


KINDS = (commands.BeginTransaction, *typing.get_args(commands.Statement), commands.ApplyCatalog)
COMMANDS = [(kind, field) for kind in KINDS for field in numbers_of(kind)]
CHANGES = {
    "port": lambda number: EndpointAltered(name="Broker", port=number),
    "message_forward_size_megabytes": lambda number: EndpointAltered(
        name="Broker", message_forward_size_megabytes=number
    ),
    "max_queue_readers": lambda number: QueueAltered(
        database="Ventes",
        name="dbo.Client",
        activation=ActivationPatch(procedure_name="p", max_queue_readers=number, execute_as="SELF"),
    ),
    "level": lambda number: PriorityAltered(database="Ventes", name="P", level=number),
    "first level": lambda number: PriorityCreated(database="Ventes", priority=BrokerPriority("Q", level=number)),
}


class Disk:
    """An instance over a store on disk, with one dialog that has a group of its own."""

    def __init__(self, path):
        self.world = World()
        self.node = self.world.instance("PARIS", self.world.database("Ventes", ["Client"]))
        self.node.define(PriorityCreated(database="Ventes", priority=BrokerPriority("P")))
        self.store = SqliteStore(path, "PARIS")
        self.store.commit([PutCatalog(catalog=self.node.instance.catalog)], [])
        self.instance = self.loaded()
        node = self.node
        self.driver = InstanceDriver(
            self.instance, store=self.store, transport=node, sink=node, alarm=node, clock=self.world, late_replies=node
        )
        self.driver.process([STARTED])
        self.dialog = self.give(
            commands.BeginDialog,
            UUID(int=1),
            database="Ventes",
            from_service="Client",
            to_service="Server",
            lifetime_seconds=600,
        ).conversation_handle

    def loaded(self):
        state = self.store.load()
        return Instance(state.catalog, state.databases, self.world.settings, self.world.entropy)

    def give(self, kind, command_id, **fields):
        return self.driver.process([kind(command_id=command_id, **fields)])[0]

    def fields_for(self, kind):
        known = {"database": "Ventes", "conversation_handle": self.dialog, "base": 1, "revision": 2, "changes": ()}
        known |= CLAUSES
        if kind is commands.Receive or kind is commands.BeginDialog:
            del known["conversation_handle" if kind is commands.BeginDialog else "conversation_group_id"]
        return {field: known[field] for field in kind.__struct_fields__ if field in known}

    def assert_memory_equals_disk(self, command_id, reply):
        assert reply is None or self.store.reply_of(command_id) == reply
        other = self.loaded()
        assert other.catalog == self.instance.catalog
        for mine, stored in zip(self.instance.view(1000).databases, other.view(1000).databases, strict=True):
            assert mine.conversation_endpoints == stored.conversation_endpoints
            assert mine.transmission_queue == stored.transmission_queue
            assert mine.queues == stored.queues


def test_every_command_with_a_number_is_among_them():
    assert {(kind.__name__, field) for kind, field in COMMANDS} >= {
        ("BeginDialog", "lifetime_seconds"),
        ("Receive", "top"),
        ("Receive", "waitfor_milliseconds"),
        ("EndConversation", "error_code"),
        ("BeginConversationTimer", "timeout_seconds"),
        ("ApplyCatalog", "base"),
        ("ApplyCatalog", "revision"),
    }


@examples(120)
@given(which=st.sampled_from(COMMANDS), number=NUMBERS)
def test_any_number_of_a_command_has_a_reply_that_is_stored(which, number):
    kind, field = which
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Path(folder) / "PARIS.sqlite3")
        command_id = UUID(int=2)
        reply = disk.give(kind, command_id, **{**disk.fields_for(kind), field: number})
        disk.assert_memory_equals_disk(command_id, reply)
        disk.store.close()


@examples(60)
@given(make=st.sampled_from(list(CHANGES.values())), number=NUMBERS)
def test_any_number_of_a_definition_has_a_reply_that_is_stored(make, number):
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Path(folder) / "PARIS.sqlite3")
        command_id = UUID(int=2)
        reply = disk.give(commands.ApplyCatalog, command_id, base=1, revision=2, changes=(make(number),))
        disk.assert_memory_equals_disk(command_id, reply)
        disk.store.close()


@pytest.mark.parametrize(
    ("kind", "field", "number", "error"),
    [
        (commands.BeginDialog, "lifetime_seconds", 10**30, 8411),
        (commands.BeginConversationTimer, "timeout_seconds", 10**20, 8410),
        (commands.BeginConversationTimer, "timeout_seconds", 10**400, 8410),
        (commands.EndConversation, "error_code", -(10**40), 8424),
        (commands.EndConversation, "error_code", 2**31, 8424),
        (commands.Receive, "top", 10**30, 1060),
        (commands.ApplyCatalog, "base", 10**30, 9797),
        (commands.ApplyCatalog, "revision", 10**30, 9797),
    ],
)
def test_a_number_beyond_its_bound_is_refused_with_its_error(kind, field, number, error, tmp_path):
    disk = Disk(tmp_path / "PARIS.sqlite3")
    reply = disk.give(kind, UUID(int=2), **{**disk.fields_for(kind), field: number})
    assert isinstance(reply, Refusal), reply
    assert reply.number == error
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(reply), type=Refusal) == reply


def test_the_largest_error_code_is_taken(tmp_path):
    disk = Disk(tmp_path / "PARIS.sqlite3")
    fields = {**disk.fields_for(commands.EndConversation), "error_code": 2**31 - 1}
    assert not isinstance(disk.give(commands.EndConversation, UUID(int=2), **fields), Refusal)


@pytest.mark.parametrize(
    "number", [2**63, -(2**63) - 1, 10**5000, -(10**5000)], ids=["above", "below", "far above", "far below"]
)
def test_an_error_says_in_text_which_number_no_store_can_keep(number):
    error = CatalogError(5839, value=number)
    assert isinstance(error.parameters["value"], str)
    assert len(error.text) < 100


def test_an_error_carries_half_a_character_as_what_can_be_written():
    error = CatalogError(911, database="a\ud800b")
    assert error.parameters == {"database": r"a\ud800b"}
    assert error.text.encode()
