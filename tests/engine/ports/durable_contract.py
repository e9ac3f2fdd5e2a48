"""What every store on a disk must do beyond the contract of a store: survive its process, keep notes and bounds."""

import os
import signal
import subprocess
import sys
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol
from uuid import uuid4

import msgspec
import pytest

from engine.core.exchange.changes import PutCommandReply
from engine.core.exchange.replies import MessageSent, MessagesReceived
from engine.core.vocabulary.identifiers import CommandId, EventSequence
from engine.core.vocabulary.limits import (
    COMMAND_REPLIES_BYTES_MAX,
    COMMAND_REPLIES_KEPT,
    COMMAND_REPLIES_SECONDS_MIN,
)
from engine.core.vocabulary.moment import UtcTime
from engine.runtime.ports import Store
from engine.storage import known_replies
from engine.storage.known_replies import TRIM_EVERY
from engine.storage.postgres import retention
from tests.engine.ports.store_contract import queued, rows
from tests.engine.ports.thorough_contract import ThoroughStoreContract
from tests.support.thoroughness import share

REPLIES_BYTES_MAX = share([COMMAND_REPLIES_BYTES_MAX // 32, COMMAND_REPLIES_BYTES_MAX], 1)[-1]
"""What a store keeps of old replies here: a thirty-second of what it keeps in the product is written sooner."""


class DurableStore(Store, Protocol):
    """A store that keeps notes of its host, too."""

    def read_note(self, key: str) -> str | None: ...

    def write_note(self, key: str, value: str) -> None: ...


WRITER = """
import sys
from engine.core.exchange.changes import AppendTransmission
from tests.engine.ports.store_contract import VENTES, taken, waiting

PLACE = sys.argv[1:]
{imports}
store = {opening}
for number in range(1_000_000):
    store.commit([AppendTransmission(database=VENTES, row=waiting(1, 2 * number + n)) for n in (0, 1)], [taken(number)])
    print(number, flush=True)
"""


class DurableStoreContract(ThoroughStoreContract):
    """Subclasses give `place` and how a process of its own opens the store there."""

    opening: ClassVar[str]
    """Imports, then an expression, separated by semicolons; `PLACE` is the list of the words in `place`."""
    place: tuple[str, ...]

    @abstractmethod
    def open_store(self) -> DurableStore:
        """The store that the tests are about."""

    def reopen(self, store: Store) -> DurableStore:
        store.close()
        return self.open_store()

    def writer(self) -> "subprocess.Popen[str]":
        """A process that commits two rows and an event at a time and says the number of each commit."""
        imports, _, opening = self.opening.rpartition(";")
        script = WRITER.format(imports=imports, opening=opening.strip())
        return subprocess.Popen([sys.executable, "-c", script, *self.place], stdout=subprocess.PIPE, text=True)

    def test_after_kill_9_every_commit_is_there_whole_or_absent_whole(self):
        writer = self.writer()
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 100:
                break
        os.kill(writer.pid, signal.SIGKILL)
        reported = [100, *(int(line) for line in writer.stdout if line.endswith("\n"))][-1]
        writer.wait()

        store = self.open_after_kill()
        numbers = [row.message_sequence_number for row in rows(store).transmission]
        events = store.events_after(EventSequence(0), 1_000_000)
        store.close()

        assert len(numbers) >= 2 * (reported + 1), "what was reported as committed is there"
        assert numbers == list(range(len(numbers))), "in order and without gaps"
        assert len(numbers) == 2 * len(events), "two rows and one event a commit: none is there in part"

    def open_after_kill(self) -> DurableStore:
        """The store, once nothing of the killed process is left."""
        return self.open_store()

    def test_notes_of_the_host_are_kept(self):
        store = self.open_store()
        assert store.read_note("pace") is None
        store.write_note("pace", "1")
        store.write_note("pace", "10")
        again = self.reopen(store)
        assert again.read_note("pace") == "10"
        again.close()

    def test_a_command_is_known_for_a_minute_however_many_follow_and_not_for_ever(self):
        store = self.open_store()
        reply = MessageSent(message_sequence_number=1)

        def remember(commands: Sequence[CommandId], at: float) -> None:
            for begin in range(0, len(commands), 500):
                batch = commands[begin : begin + 500]
                store.commit(
                    [PutCommandReply(command_id=each, reply=reply, replied_at=UtcTime(at)) for each in batch], []
                )

        commands = [CommandId(uuid4()) for _ in range(COMMAND_REPLIES_KEPT + 3 * TRIM_EVERY)]
        remember(commands, 1000.0)
        assert store.reply_of(commands[0]) == reply, "it is not old enough"
        store = self.reopen(store)
        assert store.reply_of(commands[0]) == reply
        later = [CommandId(uuid4()) for _ in range(5 * TRIM_EVERY)]
        remember(later, 1000.0 + COMMAND_REPLIES_SECONDS_MIN)
        for again in (False, True):
            store = self.reopen(store) if again else store
            asked = [*commands, *later][99::100]
            known = [command for command in asked if store.reply_of(command) == reply]
            assert COMMAND_REPLIES_KEPT <= 100 * len(known) < COMMAND_REPLIES_KEPT + 3 * TRIM_EVERY
            assert known == asked[-len(known) :], "the oldest go first"
        store.close()

    def test_large_replies_are_kept_for_a_minute_and_then_up_to_so_many_bytes(self, monkeypatch: pytest.MonkeyPatch):
        body = bytes(REPLIES_BYTES_MAX // 8)
        monkeypatch.setattr(known_replies, "COMMAND_REPLIES_BYTES_MAX", REPLIES_BYTES_MAX)
        monkeypatch.setattr(retention, "REPLY_BYTES_UNTIL_TRIM", len(body))
        store = self.open_store()
        row = msgspec.structs.replace(queued(1), message_body=body)
        count = REPLIES_BYTES_MAX // len(body) + 3
        commands = [CommandId(uuid4()) for _ in range(count)]

        def remember(command: CommandId, at: float) -> None:
            reply = MessagesReceived(messages=(row,))
            store.commit([PutCommandReply(command_id=command, reply=reply, replied_at=UtcTime(at))], [])

        for command in commands:
            remember(command, 1000.0)
        assert all(store.reply_of(each) is not None for each in (commands[0], commands[-1])), "nothing is old enough"
        remember(last := CommandId(uuid4()), 1000.0 + COMMAND_REPLIES_SECONDS_MIN)
        kept = [command for command in commands if store.reply_of(command) is not None]
        assert kept == commands[-len(kept) :], "the oldest go first"
        assert 0 < len(kept) < REPLIES_BYTES_MAX // len(body)
        assert store.reply_of(last) is not None
        store.close()
