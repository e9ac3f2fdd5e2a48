"""A world whose wire can be listened to and tampered with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.messages import DialogMessage, Outbound
from tests.support.world import Node, World, route

Tamper = Callable[[DialogMessage], DialogMessage | None]


class SecureWorld(World):
    """PARIS (Ventes: Client) and LYON (Stock: Entrepôt); every message that travels is kept in `wire`."""

    def __init__(self, seed: int = 1, loss: float = 0.0, *, suite: KeySuite = KeySuite.MD5, **chance: object) -> None:
        super().__init__(seed, loss, **chance)
        dialog = msgspec.structs.replace(self.settings.dialog, key_suite=suite)
        self.settings = msgspec.structs.replace(self.settings, dialog=dialog)
        self.wire: list[DialogMessage] = []
        self.tamper: Tamper = lambda message: message

    def paris(self, *definitions: Sequence[CatalogChange], to: str = "lyon") -> Node:
        home = self.database("Ventes", ["Client"], route("Entrepôt", to))
        return self._listened(self.instance("PARIS", home, *definitions))

    def lyon(self, *definitions: Sequence[CatalogChange], to: str = "paris") -> Node:
        stock = self.database("Stock", ["Entrepôt"], route("Client", to))
        return self._listened(self.instance("LYON", stock, *definitions))

    def _listened(self, node: Node) -> Node:
        """What the node sends is kept, and passes through `tamper`; None is lost."""
        send = node.send

        def listen(outbound: Outbound) -> None:
            self.wire.append(outbound.message.message)
            message = self.tamper(outbound.message.message)
            if message is not None:
                send(Outbound(outbound.address, msgspec.structs.replace(outbound.message, message=message)))

        node.send = listen
        return node


def bodies(node: Node, database: str, queue: str) -> list[bytes | None]:
    return [row.message_body for row in node.receive(database, queue)]


def security_of(node: Node, database: str, handle: object) -> object:
    """What the store of a node holds about a dialog's security."""
    rows = next(rows for rows in node.store.load().databases if rows.name == database)
    return next(row.security for row in rows.endpoints if row.conversation_handle == handle)
