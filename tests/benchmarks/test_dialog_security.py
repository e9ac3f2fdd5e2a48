"""What dialog security costs for a message of 1 KiB: securing and opening alone, and the whole way between brokers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from uuid import UUID

import pytest

from engine.core.dialog.session import OpenKey, open_message, protect
from engine.core.vocabulary.dialog_security import KeySuite, MessageSecurity
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, MessageKind
from tests.benchmarks.measure import in_turns
from tests.support.certificates import VAULT, certificate, initiator, master_key, target
from tests.support.secure_world import SecureWorld

BODY = bytes(range(256)) * 4
MESSAGES = 2_000
DIALOGS = 20


def message() -> DialogMessage:
    return DialogMessage(
        conversation_id=UUID(int=1),
        from_initiator=True,
        source=DialogTarget("//example.org/Orders", UUID(int=2)),
        target=DialogTarget("//example.org/Warehouse", UUID(int=3)),
        kind=MessageKind.USER,
        sequence=1,
        contract="//example.org/Contract",
        message_type="//example.org/Order",
        body=BODY,
        expires_at=4e9,
    )


def secure(suite: KeySuite) -> Callable[[], int]:
    key, plain = OpenKey(UUID(int=4), VAULT.new_session_key(suite)), message()

    def run() -> int:
        for _ in range(MESSAGES):
            protect(plain, key)
        return MESSAGES

    return run


def unlock(suite: KeySuite) -> Callable[[], int]:
    key = OpenKey(UUID(int=4), VAULT.new_session_key(suite))
    secured = protect(message(), key)
    security = secured.security
    assert isinstance(security, MessageSecurity)

    def run() -> int:
        for _ in range(MESSAGES):
            assert open_message(secured, security, key) is not None
        return MESSAGES

    return run


def deliver(suite: KeySuite | None) -> Callable[[], int]:
    """Two brokers with real frames between them, memory for stores, acknowledgements and all."""

    def run() -> int:
        world = SecureWorld(suite=suite or KeySuite.MD5)
        paris = world.paris(initiator() if suite else [])
        lyon = world.lyon(target())
        dialogs = [paris.begin("Ventes", "Client", "Entrepôt") for _ in range(DIALOGS)]
        for number in range(MESSAGES):
            paris.say("Ventes", dialogs[number % DIALOGS], BODY)
        world.run(20)
        assert lyon.view("Stock").queues[0].ready == MESSAGES
        return MESSAGES

    return run


@cache
def exchange() -> tuple[bytes, bytes]:
    own = certificate("Vendeur", "Vendeur")
    made = VAULT.new_key_exchange_key(own.certificate)
    signature = VAULT.sign(master_key(), own.private_key, b"header")
    assert made is not None
    assert signature is not None
    return made.wrapped, signature


def public_key(what: str) -> Callable[[], int]:
    own = certificate("Vendeur", "Vendeur")
    wrapped, signature = exchange()
    work: dict[str, Callable[[], object]] = {
        "sign": lambda: VAULT.sign(master_key(), own.private_key, b"header"),
        "check": lambda: VAULT.is_signed(own.certificate, b"header", signature),
        "wrap": lambda: VAULT.new_key_exchange_key(own.certificate),
        "unwrap": lambda: VAULT.open_key_exchange_key(master_key(), own.private_key, wrapped),
    }

    def run() -> int:
        for _ in range(50):
            assert work[what]()
        return 50

    return run


@pytest.mark.timeout(900)
def test_dialog_security(show: Callable[[str, list[list[str]]], None]) -> None:
    contestants: dict[str, Callable[[], int]] = {"way clear": deliver(None)}
    for suite in KeySuite:
        contestants[f"secure {suite}"] = secure(suite)
        contestants[f"open {suite}"] = unlock(suite)
        contestants[f"way {suite}"] = deliver(suite)
    for what in ("sign", "check", "wrap", "unwrap"):
        contestants[what] = public_key(what)
    figures = in_turns(contestants, rounds=5)
    clear = figures["way clear"].median
    rows = [
        ["suite", "secure us", "open us", "whole way us", "x clear"],
        ["none", "-", "-", f"{clear * 1e6:.0f}", "1.00"],
    ]
    for suite in KeySuite:
        once, back, way = (figures[f"{what} {suite}"].median for what in ("secure", "open", "way"))
        rows.append([suite, f"{once * 1e6:.1f}", f"{back * 1e6:.1f}", f"{way * 1e6:.0f}", f"{way / clear:.2f}"])
    show("dialog security, for a message of 1 KiB", rows)
    names = {"sign": "sign", "check": "check a signature", "wrap": "encrypt a key", "unwrap": "decrypt a key"}
    show(
        "public-key work (RSA 2048), once a dialog or once in three hours",
        [["work", "us"], *([names[what], f"{figures[what].median * 1e6:.0f}"] for what in names)],
    )
