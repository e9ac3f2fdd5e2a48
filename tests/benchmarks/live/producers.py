"""Traffic of real engine sessions over the sample estate, at a pace: `python -m tests.benchmarks.live.producers ORDER`.

PARIS sends to LYON on many dialogs, LYON's reader takes the messages, and both ends of old dialogs are ended, so that
conversations come and go. Runs until its input is closed; then it says how much it has done.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final
from uuid import uuid4

import msgspec

from engine import api as engine

PARIS, SALES, STOCK, LYON = "PARIS", "Ventes", "Entrepôt", "LYON"
CLIENT: Final = "//exemple.fr/Ventes/Guichet"
STORE: Final = "//exemple.fr/Commandes/Réception"
CONTRACT: Final = "//exemple.fr/Commandes/Contrat"
ORDER_TYPE: Final = "//exemple.fr/Commandes/Commande"
QUEUE: Final = "dbo.Commandes reçues"
DIALOGS: Final = 300
ROUND_SECONDS: Final = 0.05
"""Messages are sent, and taken, in rounds this long: a batch each."""
ENDED_A_SECOND: Final = 20


class Order(msgspec.Struct, frozen=True):
    """What to do."""

    broker_url: str
    data_directory: str
    estate: str
    messages_a_second: float


class Traffic:
    """Both sides, each with a session of its own."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._over = Event()
        self.sent = self.received = 0

    def run(self) -> None:
        """Until the input is closed."""
        threads = [Thread(target=each) for each in (self._send, self._take)]
        for thread in threads:
            thread.start()
        sys.stdin.read()
        self._over.set()
        for thread in threads:
            thread.join()

    def _send(self) -> None:
        with engine.open_session(self._order.estate, PARIS) as session:
            dialogs = deque(self._begin(session) for _ in range(DIALOGS))
            began, due, ended = time.monotonic(), 0.0, 0
            while not self._over.is_set():
                elapsed = time.monotonic() - began
                due = elapsed * self._order.messages_a_second
                count = min(int(due - self.sent), 2_000)
                if count > 0:
                    dialogs.rotate(-min(count, len(dialogs)))
                    messages = [_message(dialogs[at % len(dialogs)], self.sent + at) for at in range(count)]
                    session.send_many(SALES, messages)
                    self.sent += count
                while ended < elapsed * ENDED_A_SECOND:
                    ended += 1
                    _end(session, SALES, dialogs.popleft())
                    dialogs.append(self._begin(session))
                time.sleep(ROUND_SECONDS)

    def _take(self) -> None:
        with engine.open_session(self._order.estate, LYON) as session:
            while not self._over.is_set():
                with session.receive_many(STOCK, QUEUE, top=500, wait_seconds=0.5) as rows:
                    self.received += len(rows)
                    over = {row.conversation_handle for row in rows if row.message_type_name != ORDER_TYPE}
                for handle in over:
                    _end(session, STOCK, handle)
                # Messages lie in the queue for a moment: what comes and goes between two looks changes nothing to see.
                time.sleep(ROUND_SECONDS)

    def _begin(self, session: engine.EngineSession) -> Any:
        begin = engine.BeginDialog(
            command_id=engine.CommandId(uuid4()),
            database=engine.DatabaseName(SALES),
            from_service=engine.ServiceName(CLIENT),
            to_service=engine.ServiceName(STORE),
            contract=engine.ContractName(CONTRACT),
            encryption=False,
        )
        (reply,) = session.execute([begin])
        assert isinstance(reply, engine.DialogBegun), reply
        return reply.conversation_handle


def _message(handle: Any, number: int) -> Any:
    return engine.commands.OutgoingMessage(
        conversation_handle=handle,
        message_type=engine.MessageTypeName(ORDER_TYPE),
        body=f"<commande numero='{number}'/>".encode(),
    )


def _end(session: engine.EngineSession, database: str, handle: Any) -> None:
    session.execute(
        [
            engine.EndConversation(
                command_id=engine.CommandId(uuid4()),
                database=engine.DatabaseName(database),
                conversation_handle=handle,
            )
        ]
    )


def main() -> None:
    """Do as the order on the command line says."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    engine.configure(engine.HostingSettings(data_directory=Path(order.data_directory), broker_url=order.broker_url))
    traffic = Traffic(order)
    traffic.run()
    print(msgspec.json.encode({"sent": traffic.sent, "received": traffic.received}).decode())  # noqa: T201


if __name__ == "__main__":
    main()
