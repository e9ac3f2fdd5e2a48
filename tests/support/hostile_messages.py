"""Messages that a hostile peer might send: of nowhere, of its own dialogs, overheard, and changed in any field."""

from __future__ import annotations

import random
from collections.abc import Callable
from uuid import UUID

import msgspec

from engine.core.vocabulary.dialog_security import MessageSecurity
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    Fragment,
    MessageKind,
)

SERVICES = ("Entrepôt", "Client", "Comptoir", "Guichet", "Ailleurs", "Fremd", "Niemand", "n" * 128)
CONTRACTS = ("DEFAULT", "Livraison", "Niemals")
TYPES = ("DEFAULT", "Ordre", "Niemals", None)
NUMBERS = (0, 0, 0, 1, 1, 2, 3, 7, 255, 256, 257, 512, 513, 4096, 2**31, 2**62 - 1)
BODIES = (None, b"", b"x", b"<a/>", b"<a", b"\xff\xfe<\x00", bytes(5_000))
LIFETIME_SECONDS = 600.0
FRAGMENT_BYTES = 1024
OWN_DIALOGS_MAX = 20
OVERHEARD_MAX = 200

Change = Callable[["Stranger", DialogMessage], dict[str, object]]


class Dialog(msgspec.Struct):
    """A conversation that the stranger really has, as far as it cares."""

    identifier: UUID
    is_initiator: bool
    source: DialogTarget
    target: DialogTarget
    contract: str
    next_number: int = 0


class Stranger:
    """Makes messages from a seed. It knows names and broker ids, what it overhears, and its own conversations."""

    def __init__(self, dice: random.Random, broker_instances: list[UUID]) -> None:
        self.dice = dice
        self.utc = 0.0
        """What time it is."""
        self.own_id = UUID(int=dice.getrandbits(128))
        self._ids = [*broker_instances, self.own_id]
        self._dialogs: list[Dialog] = []
        self._overheard: list[DialogMessage] = []

    def overhear(self, message: DialogMessage) -> None:
        """A message of others has passed by."""
        self._overheard.append(message)
        del self._overheard[:-OVERHEARD_MAX]

    def hear(self, message: DialogMessage) -> None:
        """A message for the stranger has come: it has a conversation to answer on, or learns whom it talks to."""
        if message.from_initiator:
            self._keep(Dialog(message.conversation_id, False, message.target, message.source, message.contract))
        for dialog in self._dialogs:
            if dialog.identifier == message.conversation_id:
                dialog.target = message.source

    def forget(self) -> None:
        """What was ended at the other end is of no interest any more."""
        self._dialogs.clear()

    def message(self) -> ForwardedMessage:
        """The next one."""
        base = self._base()
        for _ in range(self.dice.choice((0, 0, 0, 1, 1, 1, 2, 3))):
            base = msgspec.structs.replace(base, **self.dice.choice(CHANGES)(self, base))
        return ForwardedMessage(
            message=base,
            hops_remaining=self.dice.choice((0, 1, 16, 16, 16, 255)),
            time_to_live=self.dice.choice((0.0, 1.0, 60.0, 60.0, 1e300)),
            time_consumed=self.dice.choice((0.0, 0.0, 59.0, 1e300)),
        )

    # ── where a message begins ──
    def _base(self) -> DialogMessage:
        weapon = self.dice.random()
        if weapon < 0.3 and self._overheard:
            return self.dice.choice(self._overheard)
        if weapon < 0.85 and self._dialogs:
            return self._of_dialog(self.dice.choice(self._dialogs))
        if weapon < 0.95:
            return self._of_dialog(self._begun())
        return self._of_nowhere()

    def _begun(self) -> Dialog:
        source = DialogTarget("Fremd", self.own_id)
        target = DialogTarget(self.dice.choice(SERVICES[:4]), self.dice.choice((None, None, None, *self._ids)))
        return self._keep(Dialog(self.identifier(), True, source, target, self.dice.choice(CONTRACTS[:2])))

    def _keep(self, dialog: Dialog) -> Dialog:
        self._dialogs.append(dialog)
        del self._dialogs[:-OWN_DIALOGS_MAX]
        return dialog

    def _of_dialog(self, dialog: Dialog) -> DialogMessage:
        """What would come next on it, more or less."""
        kind = self.dice.choice((*[MessageKind.USER] * 5, *MessageKind))
        number = dialog.next_number
        dialog.next_number += kind is MessageKind.USER
        body = self.body() if kind is MessageKind.USER else None
        fragment = None
        if kind is MessageKind.USER and self.dice.random() < 0.2:
            fragment = Fragment(self.dice.randrange(3), FRAGMENT_BYTES, 3 * FRAGMENT_BYTES - 5)
            body = bytes(fragment.bytes)
        is_numbered = kind is not MessageKind.ACKNOWLEDGEMENT
        return DialogMessage(
            conversation_id=dialog.identifier,
            from_initiator=dialog.is_initiator,
            source=dialog.source,
            target=dialog.target,
            kind=kind,
            sequence=number if is_numbered else None,
            contract=dialog.contract,
            message_type=self.dice.choice(TYPES[:2]) if kind is MessageKind.USER else None,
            body=body,
            fragment=fragment,
            acknowledgement=None if is_numbered and self.dice.random() < 0.5 else self.receipt(),
            first_acknowledged=self.dice.random() < 0.3,
            expires_at=self.utc + LIFETIME_SECONDS,
        )

    def _of_nowhere(self) -> DialogMessage:
        """Every field by itself."""
        nothing = DialogMessage(
            conversation_id=self.identifier(),
            from_initiator=True,
            source=DialogTarget("Fremd", self.own_id),
            target=DialogTarget("Entrepôt"),
            kind=MessageKind.USER,
            contract="DEFAULT",
            expires_at=self.utc,
        )
        for change in CHANGES:
            nothing = msgspec.structs.replace(nothing, **change(self, nothing))
        return nothing

    # ── parts ──
    def identifier(self) -> UUID:
        return UUID(int=self.dice.getrandbits(128))

    def party(self) -> DialogTarget:
        return DialogTarget(self.dice.choice((*SERVICES, "")), self.dice.choice((None, self.identifier(), *self._ids)))

    def number(self) -> int:
        return self.dice.choice(NUMBERS) + self.dice.choice((0, 0, 1))

    def body(self) -> bytes | None:
        return self.dice.choice((*BODIES, self.dice.randbytes(self.dice.randrange(200))))

    def receipt(self) -> Acknowledgement:
        up_to = self.number() - 1
        highest = up_to + self.dice.choice((0, 0, 0, 1, 5, -1))
        return Acknowledgement(
            up_to, highest, self.dice.choice((self.identifier(), *self._ids)), self.number(), self.number()
        )

    def security(self, base: DialogMessage) -> MessageSecurity | msgspec.UnsetType:
        """Another message's, or this one's with a few bits changed, or without its header."""
        theirs = [each.security for each in self._overheard if isinstance(each.security, MessageSecurity)]
        if not theirs or self.dice.random() < 0.2:
            return msgspec.UNSET
        security = base.security if isinstance(base.security, MessageSecurity) else self.dice.choice(theirs)
        match self.dice.randrange(6):
            case 0:
                return self.dice.choice(theirs)
            case 1:
                return msgspec.structs.replace(security, mic=self.flipped(security.mic))
            case 2:
                return msgspec.structs.replace(security, salt=self.flipped(security.salt))
            case 3:
                return msgspec.structs.replace(security, session_key_id=self.identifier())
            case 4:
                return msgspec.structs.replace(security, header=self.dice.choice(theirs).header)
            case _:
                header = security.header
                if header is not None:
                    field = self.dice.choice(("key_exchange_key", "session_key", "signature"))
                    header = msgspec.structs.replace(header, **{field: self.flipped(getattr(header, field))})
                return msgspec.structs.replace(security, header=header)

    def flipped(self, data: bytes) -> bytes:
        """One bit changed, or shorter, or longer."""
        if not data or self.dice.random() < 0.2:
            return data[1:] if self.dice.random() < 0.5 else data + b"\0"
        place = self.dice.randrange(len(data))
        return data[:place] + bytes([data[place] ^ 1 << self.dice.randrange(8)]) + data[place + 1 :]


CHANGES: tuple[Change, ...] = (
    lambda stranger, base: {"conversation_id": stranger.identifier()},
    lambda stranger, base: {"from_initiator": not base.from_initiator},
    lambda stranger, base: {"source": stranger.party()},
    lambda stranger, base: {"target": stranger.party()},
    lambda stranger, base: {"source": base.target, "target": base.source},
    lambda stranger, base: {"kind": stranger.dice.choice(tuple(MessageKind))},
    lambda stranger, base: {"sequence": stranger.dice.choice((None, stranger.number(), stranger.number()))},
    lambda stranger, base: {"contract": stranger.dice.choice((*CONTRACTS, "", "c" * 200))},
    lambda stranger, base: {"message_type": stranger.dice.choice((*TYPES, "", "t" * 200))},
    lambda stranger, base: {"body": stranger.body()},
    lambda stranger, base: {"body": stranger.flipped(base.body or b"")},
    lambda stranger, base: {
        "fragment": stranger.dice.choice((None, Fragment(stranger.number(), stranger.number() + 1, stranger.number())))
    },
    lambda stranger, base: {"acknowledgement": stranger.dice.choice((None, stranger.receipt()))},
    lambda stranger, base: {"first_acknowledged": not base.first_acknowledged},
    lambda stranger, base: {
        "expires_at": stranger.dice.choice(
            (stranger.utc - 1, stranger.utc, stranger.utc + 0.5, stranger.utc + LIFETIME_SECONDS, 0.0, -1e300, 1e300)
        )
    },
    lambda stranger, base: {"priority": stranger.dice.randrange(0, 256)},
    lambda stranger, base: {"security": stranger.security(base)},
)
"""What may be wrong with a message: each makes other fields of it."""
