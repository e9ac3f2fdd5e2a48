"""Sandboxes for tests: WEST with Shop orders from EAST, whose database Store is mirrored at NORTH."""

from typing import Any
from uuid import UUID

from engine.core.exchange.commands import BeginDialog, Command, EndConversation, Receive, Send
from engine.core.exchange.replies import DialogBegun, Reply
from engine.core.exchange.system_views import SystemViewQuery
from engine.sandbox.actions import Action, ActionOutcome, CommandsGiven, Entry
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.spec import SandboxSpec, TrafficPair, TrafficPlan
from tests.support.diagnosed_estates import NOW, STORE, mirrored_estate

PAIR = TrafficPair(
    from_instance="WEST",
    from_database="Shop",
    from_service="Till",
    to_service="Stock",
    contract="Sale",
    message_type="Order",
)
PLAN = TrafficPlan(pairs=(PAIR,), rate=2.0, reply_ratio=0.5, dialog_messages=5)


def spec(**fields: Any) -> SandboxSpec:
    catalogs = fields.pop("estate", None) or mirrored_estate()
    fields.setdefault("instances", tuple(catalogs.values()))
    return SandboxSpec(**{"seed": 1, "begins_at": NOW, **fields})


class Driven:
    """A sandbox with somebody at it, who writes down what he does."""

    def __init__(self, what: SandboxSpec) -> None:
        self.spec = what
        self.sandbox = Sandbox(what, is_hashed=True)
        self.log: list[Entry] = []
        self._ids = 0

    def do(self, action: Action) -> ActionOutcome:
        self.log.append(self.sandbox.entry(action))
        return self.sandbox.perform(action)

    def new_id(self) -> UUID:
        self._ids += 1
        return UUID(int=0xC0 << 64 | self._ids)

    def give(self, instance: str, *commands: Command) -> ActionOutcome:
        return self.do(CommandsGiven(instance=instance, commands=commands))

    def ask(self, instance: str, command: Command) -> Reply:
        outcome = self.give(instance, command)
        (reply,) = outcome.replies
        assert reply is not None, outcome
        return reply

    def begin_named(self) -> UUID:
        """With the broker id of Store, as a mirrored route wants it."""
        return self.begin(to_broker_instance=STORE)

    def begin(self, **fields: Any) -> UUID:
        """A dialog from Till to Stock."""
        begin = BeginDialog(
            command_id=self.new_id(),
            database="Shop",
            from_service="Till",
            to_service="Stock",
            contract="Sale",
            **fields,
        )
        reply = self.ask("WEST", begin)
        assert isinstance(reply, DialogBegun), reply
        return reply.conversation_handle

    def order(self, handle: UUID, body: bytes = b"3 apples") -> ActionOutcome:
        return self.give(
            "WEST",
            Send(
                command_id=self.new_id(),
                database="Shop",
                conversation_handle=handle,
                message_type="Order",
                body=body,
            ),
        )

    def end(self, handle: UUID) -> ActionOutcome:
        return self.give("WEST", EndConversation(command_id=self.new_id(), database="Shop", conversation_handle=handle))

    def receive(self, instance: str = "EAST", database: str = "Store", **fields: Any) -> ActionOutcome:
        command = Receive(command_id=self.new_id(), database=database, queue="dbo.Inbox", top=10, **fields)
        return self.give(instance, command)

    def pass_seconds(self, seconds: float) -> None:
        self.sandbox.advance(self.sandbox.seconds + seconds)

    def rows(self, instance: str, view: str, *columns: str, database: str | None = None) -> list[tuple[Any, ...]]:
        query = SystemViewQuery(view=view, database=database, columns=columns, rows_max=1000)
        return list(self.sandbox.system_view(instance, query).rows)
