"""`AdjacentBrokerConnection`: one connection between two adjacent instances, without its socket.

Its shell gives it bytes and the time, asks for bytes and for the next time it wants to be woken, and does nothing
else. Both sides run this class; they differ in their `LinkRole`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, assert_never

from engine.core.link.endings import (
    ARBITRATION,
    BREACH_BY_PEER,
    CONNECT_FAILED,
    HANDSHAKE_TIMED_OUT,
    HARMLESS,
    IDLE,
    LOST_WHILE_RECEIVING,
    LOST_WHILE_SENDING,
    status_of_refusal,
)
from engine.core.link.facts import LinkClosure, LinkFacts, LinkTraffic
from engine.core.link.frames import (
    Arbitration,
    Fragments,
    Frame,
    Goodbye,
    Hello,
    Proof,
    Refuse,
    RoleClaim,
    RoleRequest,
    Validation,
    Welcome,
)
from engine.core.link.handshake import (
    AUDIT_OF,
    OPEN_TERMS,
    Arbiter,
    Handshake,
    LinkIdentity,
    LoginAudit,
    LoginRefused,
    LoginTerms,
    Peer,
    refusal,
)
from engine.core.link.login import LoginState
from engine.core.link.sending import SendBuffer
from engine.core.link.states import UNEXPECTED_EVENT, LinkInput, LinkRole, step
from engine.core.link.wire import Wire
from engine.core.vocabulary.errors import RemoteProtocolError, text_of
from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.core.vocabulary.limits import LINK_BUFFER_BYTES_MAX, LINK_ROLES_MAX
from engine.core.vocabulary.messages import ForwardedMessage, LinkState, LoginEnded, TcpAddress
from engine.core.vocabulary.moment import Duration, Instant, Now, UtcTime
from engine.core.vocabulary.settings import LinkSettings


class AdjacentBrokerConnection:
    """One connection, from NEW to CLOSED; never opened again.

    Finishes when `state` is CLOSED, then `closure` says why. Fails with `RemoteProtocolError` out of `receive_data`
    when the peer breaks the protocol; it is closed then and `data_to_send` holds the goodbye. Not responsible for
    keeping messages: what a closing connection has not sent is lost, and dialogs send again.
    """

    def __init__(
        self,
        role: LinkRole,
        identity: LinkIdentity,
        settings: LinkSettings,
        now: Now,
        address: TcpAddress | None = None,
        *,
        terms: LoginTerms = OPEN_TERMS,
        arbiter: Arbiter | None = None,
    ) -> None:
        self.role: Final = role
        self.state = LinkState.NEW
        self.closure: LinkClosure | None = None
        self._settings = settings
        self._dialled = address
        self._traffic = LinkTraffic()
        self._wire = Wire(settings.frame_seconds)
        self._handshake = Handshake(role, identity, terms, self._wire, arbiter)
        self.sending = SendBuffer()
        self._roles: list[RoleRequest | RoleClaim] = []
        self._is_receiving_held = False
        self._is_login_told = False
        self._connect_time: UtcTime | None = None
        self._login_time: UtcTime | None = None
        self._last_activity_time: UtcTime | None = None
        self._deadline: Instant | None = None
        if role is LinkRole.DIALLING:
            self._step(LinkInput.BEGIN)
            self._wait(settings.connect_seconds, now)

    # ── what it is ───────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def peer(self) -> InstanceName | None:
        """Name of the instance at the other end, once it has proved itself."""
        return None if self._handshake.peer is None else self._handshake.peer.instance

    @property
    def known_peer(self) -> Peer | None:
        """All that the handshake has found out."""
        return self._handshake.peer

    @property
    def login_state(self) -> LoginState:
        """How far the handshake has come (protocol.md 7.2)."""
        return self._handshake.state

    @property
    def login_audit(self) -> LoginAudit | None:
        """Subclass of Audit Broker Login; None as long as the handshake has not ended, was cut off or never begun."""
        if self._handshake.state is LoginState.ONLINE:
            return LoginAudit.LOGIN_SUCCESS
        if self._connect_time is None:
            return None
        if self._handshake.state is not LoginState.ERROR or self.closure is None or self.closure.reason is None:
            return None
        return AUDIT_OF.get(self.closure.reason, LoginAudit.PROTOCOL_ERROR)

    def login_ended(self) -> LoginEnded | None:
        """How the handshake has ended, once."""
        audit, peer, closure = self.login_audit, self.known_peer, self.closure
        if audit is None or self._is_login_told:
            return None
        self._is_login_told = True
        failure = None if audit is LoginAudit.LOGIN_SUCCESS else closure
        methods = self._handshake.peer_methods
        return LoginEnded(
            subclass=audit.value,
            is_accept=self.role is LinkRole.ACCEPTING,
            peer=self.peer,
            principal=None if peer is None else peer.principal,
            method=None if peer is None else peer.method.value,
            protection=None if peer is None else peer.protection.value,
            own_methods=",".join(self._handshake.own_methods),
            peer_methods=None if methods is None else ",".join(methods),
            login_state=self.login_state.name,
            number=None if failure is None else failure.reason,
            text="" if failure is None else failure.detail,
        )

    def facts(self) -> LinkFacts:
        """What there is to show of it now."""
        return LinkFacts(
            state=self.state,
            login_state=self.login_state,
            is_accept=self.role is LinkRole.ACCEPTING,
            peer=self.known_peer,
            connect_time=self._connect_time,
            login_time=self._login_time,
            last_activity_time=self._last_activity_time,
            is_receive_flow_controlled=self.is_receive_flow_controlled,
            is_send_flow_controlled=self.is_send_flow_controlled,
            address=self._dialled,
            traffic=replace(self._traffic),
        )

    @property
    def is_send_flow_controlled(self) -> bool:
        """Whether messages wait because the network is busy."""
        return len(self.sending) > 0

    @property
    def is_receive_flow_controlled(self) -> bool:
        """Whether we do not read because whoever takes our messages is busy."""
        return self._is_receiving_held

    # ── what happens to it ───────────────────────────────────────────────────────────────────────────────────────
    def opened(self, now: Now) -> None:
        """The TCP connection is open; the dialling side introduces itself."""
        self._step(LinkInput.OPENED)
        self._wait(self._settings.handshake_seconds, now)
        self._connect_time = now.utc
        self._handshake.opened()

    def receive_data(self, data: bytes, now: Now) -> list[ForwardedMessage]:
        """Messages that `data` completes. Bytes after the end are nobody's mistake and are dropped."""
        messages: list[ForwardedMessage] = []
        self._traffic.has_arrived(data)
        if self.state is LinkState.CLOSED:
            return messages
        try:
            for frame in self._wire.hear(data, now.monotonic):
                messages += self._receive(frame, now)
        except LoginRefused as refused:
            self._refuse(refused)
        except RemoteProtocolError as error:
            self._breach(error)
            raise
        return messages

    def _receive(self, frame: Frame, now: Now) -> tuple[ForwardedMessage, ...]:
        if self.state is LinkState.CLOSED:
            return ()
        match frame:
            case Fragments():
                self._step(LinkInput.RECEIVE_FRAGMENTS)
                self._stay(now)
                self._traffic.fragments_received += len(frame.messages)
                return frame.messages
            case RoleRequest():
                self._step(LinkInput.RECEIVE_ROLE_REQUEST)
                self._hear_of_role(frame, now)
            case RoleClaim():
                self._step(LinkInput.RECEIVE_ROLE_CLAIM)
                self._hear_of_role(frame, now)
            case Hello() | Welcome() | Proof() | Validation() | Arbitration():
                self._receive_login(frame, now)
            case Refuse():
                self._step(LinkInput.RECEIVE_REFUSE)
                self._handshake.refused()
                self._end(status_of_refusal(frame.number), f"{frame.number}: {frame.text}", frame.number)
            case Goodbye():
                self._step(LinkInput.RECEIVE_GOODBYE)
                number = None if frame.number in HARMLESS else LOST_WHILE_RECEIVING
                self._end(number, f"{frame.number}: {frame.text}", frame.number)
            case _:
                assert_never(frame)
        return ()

    def _receive_login(self, frame: Hello | Welcome | Proof | Validation | Arbitration, now: Now) -> None:
        self._step(LinkInput.RECEIVE_LOGIN)
        self._handshake.receive(frame, now)
        if self._handshake.state is LoginState.ONLINE:
            self._step(LinkInput.LOG_IN)
            self._login_time = now.utc
            self._stay(now)

    def _hear_of_role(self, frame: RoleRequest | RoleClaim, now: Now) -> None:
        if len(self._roles) >= LINK_ROLES_MAX:
            raise RemoteProtocolError(UNEXPECTED_EVENT, detail="too many questions and claims at once")
        self._stay(now)
        self._roles.append(frame)

    # ── what it is asked to do ───────────────────────────────────────────────────────────────────────────────────
    def send(self, messages: Iterable[ForwardedMessage], now: Now) -> list[ForwardedMessage]:
        """Take messages in, to be sent in their order, many to a frame; answers those for which there is no room.

        `LocalProtocolError` unless logged in.
        """
        self._step(LinkInput.SEND_FRAGMENTS)
        if not self.is_send_flow_controlled:
            # What waits already must not look like traffic: a peer that never reads is to be noticed.
            self._stay(now)
        return self.sending.put(messages)

    def ask_role(self, broker_instance: BrokerInstanceId, now: Now) -> None:
        """Ask whether the peer is the principal of a database. `LocalProtocolError` unless dialled and logged in."""
        self._step(LinkInput.SEND_ROLE_REQUEST)
        self._stay(now)
        self._wire.say(RoleRequest(broker_instance=broker_instance))

    def claim_role(self, broker_instance: BrokerInstanceId, now: Now, *, is_principal: bool) -> None:
        """Tell whether we are the principal. `LocalProtocolError` unless accepted and logged in."""
        self._step(LinkInput.SEND_ROLE_CLAIM)
        self._stay(now)
        self._wire.say(RoleClaim(broker_instance=broker_instance, is_principal=is_principal))

    def roles_heard(self) -> list[RoleRequest | RoleClaim]:
        """Questions and claims that have arrived; each is handed out once."""
        heard, self._roles = self._roles, []
        return heard

    def data_to_send(self, room: int = LINK_BUFFER_BYTES_MAX) -> bytes:
        """Bytes for the socket, each handed out once: what is urgent, then messages until `room` bytes are filled.

        The last frame may pass `room`; without any room messages wait, and what is urgent does not.
        """
        while self.state is LinkState.LOGGED_IN and len(self.sending) and self._wire.unsent_bytes < room:
            batch = self.sending.next_frame()
            self._traffic.fragments_sent += len(batch)
            self._wire.say(Fragments(messages=batch))
        return self._traffic.was_sent(self._wire.take())

    def sent(self, now: Now) -> None:
        """The network has taken what it was given: a slow peer is still a peer."""
        if self.state is LinkState.LOGGED_IN:
            self._stay(now)

    def hold_receiving(self, now: Now, *, is_held: bool) -> None:
        """We do not read now, or read again; while we do not, the peer's silence is of our making."""
        self._is_receiving_held = is_held
        self._wire.hold(now.monotonic, is_held=is_held)
        if self.state is LinkState.LOGGED_IN:
            self._stay(now)

    def close(self, number: int, now: Now, **parameters: str | int) -> None:
        """End it on purpose; the peer is told the numbered reason if it listens. Harmless when closed."""
        if self.state in (LinkState.CONNECTED, LinkState.LOGGED_IN):
            self._wire.say(Goodbye(number=number, text=text_of(number, **parameters)))
        self._step(LinkInput.CLOSE)
        self._end(None, "", number)

    def refuse(self, number: int, **parameters: str | int) -> None:
        """Do not go on with a login that is under way; the peer is told the numbered reason."""
        self._refuse(refusal(number, **parameters))

    def lost(self, number: int, detail: str) -> None:
        """The operating system ended it; `number` says at what. Harmless when closed."""
        self._step(LinkInput.LOST)
        self._end(number, detail)

    def handle_timer(self, now: Now) -> None:
        """Close what has waited too long; harmless when nothing is due."""
        wake_at = self.wake_at()
        if wake_at is None or now.monotonic < wake_at:
            return
        if wake_at == self._wire.frame_due:
            self._frame_too_long()
            return
        if self.state is LinkState.LOGGED_IN:
            self._quiet_too_long(now)
            return
        was_connecting = self.state is LinkState.CONNECTING
        self._step(LinkInput.WAITED_TOO_LONG)
        if was_connecting:
            self._end(CONNECT_FAILED, f"no answer within {self._settings.connect_seconds:g} seconds")
        else:
            text = text_of(HANDSHAKE_TIMED_OUT, detail=f"no answer within {self._settings.handshake_seconds:g} seconds")
            self._wire.say(Refuse(number=HANDSHAKE_TIMED_OUT, text=text))
            self._end(LOST_WHILE_RECEIVING, f"{HANDSHAKE_TIMED_OUT}: {text}", HANDSHAKE_TIMED_OUT)

    def _frame_too_long(self) -> None:
        """Lost, and the peer is told: a length was altered on its way, or the network is too slow for the frame."""
        detail = f"a frame that began {self._settings.frame_seconds:g} seconds ago is not complete"
        address = "the peer" if self._dialled is None else str(self._dialled)
        text = text_of(LOST_WHILE_RECEIVING, address=address, detail=detail)
        self._wire.say(Goodbye(number=LOST_WHILE_RECEIVING, text=text))
        self._step(LinkInput.WAITED_TOO_LONG)
        self._end(LOST_WHILE_RECEIVING, detail, LOST_WHILE_RECEIVING)

    def _quiet_too_long(self, now: Now) -> None:
        """No traffic: idle when there was nothing to say, lost when the peer does not take what there is."""
        if self._is_receiving_held:
            self._stay(now)
            return
        is_stuck = self.is_send_flow_controlled
        if is_stuck:
            self._step(LinkInput.LOST)
            self._end(LOST_WHILE_SENDING, f"the peer has read nothing for {self._idle_seconds:g} seconds")
            return
        address = "the peer" if self._dialled is None else str(self._dialled)
        text = text_of(IDLE, address=address, value=round(self._idle_seconds))
        self._wire.say(Goodbye(number=IDLE, text=text))
        self._step(LinkInput.WAITED_TOO_LONG)
        self._end(None, f"{IDLE}: {text}", IDLE)

    def wake_at(self) -> Instant | None:
        """When to call `handle_timer`; None for never."""
        if self._deadline is None or self._wire.frame_due is None:
            return self._deadline
        return min(self._deadline, self._wire.frame_due)

    @property
    def _idle_seconds(self) -> Duration:
        """The accepting side waits longer: the side that knows what it will send next closes first."""
        factor = 1 if self.role is LinkRole.DIALLING else 2
        return Duration(self._settings.idle_seconds * factor)

    def _refuse(self, refused: LoginRefused) -> None:
        """We do not go on with the handshake; the peer is told why."""
        self._wire.say(Refuse(number=refused.number, text=refused.text))
        self._step(LinkInput.CLOSE)
        number = None if refused.number in ARBITRATION else refused.number
        self._end(number, f"{refused.number}: {refused.text}" if number is None else refused.text, refused.number)

    def _breach(self, error: RemoteProtocolError) -> None:
        if self.state in (LinkState.CONNECTED, LinkState.LOGGED_IN):
            self._wire.say(Goodbye(number=error.number, text=error.text))
        self._step(LinkInput.CLOSE)
        self._end(BREACH_BY_PEER, str(error), error.number)

    def _step(self, happened: LinkInput) -> None:
        self.state = step(self.role, self.state, happened)

    def _stay(self, now: Now) -> None:
        self._last_activity_time = now.utc
        self._wait(self._idle_seconds, now)

    def _wait(self, seconds: Duration, now: Now) -> None:
        self._deadline = Instant(now.monotonic + seconds)

    def _end(self, number: int | None, detail: str, reason: int | None = None) -> None:
        """Keep the first reason: what follows is its consequence."""
        self._deadline = None
        self._handshake.fail()
        if self.closure is None:
            self.closure = LinkClosure(number=number, detail=detail, reason=reason)

    def unsent(self) -> list[ForwardedMessage]:
        """Messages that were taken in and never went, once it is closed; each is handed out once."""
        return self.sending.clear() if self.state is LinkState.CLOSED else []
