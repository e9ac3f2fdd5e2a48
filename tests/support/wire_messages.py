"""Messages for tests of whatever carries them: one plain builder and one Hypothesis strategy of everything legal."""

from uuid import UUID

from hypothesis import strategies as st

from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    ConversationId,
    MessageTypeName,
    ServiceName,
)
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    Fragment,
    MessageKind,
)
from engine.core.vocabulary.moment import Duration, UtcTime

CONVERSATION = ConversationId(UUID("11111111-2222-4333-8444-555555555555"))
PARIS_DATABASE = BrokerInstanceId(UUID("aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"))
LYON_DATABASE = BrokerInstanceId(UUID("bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"))


def message(sequence: int = 0, body: bytes | None = b"bonjour") -> ForwardedMessage:
    """A user message from PARIS to LYON."""
    return ForwardedMessage(
        message=DialogMessage(
            conversation_id=CONVERSATION,
            from_initiator=True,
            source=DialogTarget(ServiceName("Commandes"), PARIS_DATABASE),
            target=DialogTarget(ServiceName("Entrepôt"), None),
            kind=MessageKind.USER,
            sequence=sequence,
            contract=ContractName("Livraison"),
            message_type=MessageTypeName("Ordre"),
            body=body,
            expires_at=UtcTime(2_000_000_000.0),
        ),
        hops_remaining=16,
        time_to_live=Duration(60.0),
    )


_names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)
_seconds = st.floats(min_value=0, max_value=1e9)


@st.composite
def _acknowledgements(draw: st.DrawFn) -> Acknowledgement:
    up_to = draw(st.integers(-1, 2**40))
    highest = draw(st.integers(up_to, up_to + 1000))
    pieces = draw(st.tuples(st.integers(0, 2**20), st.integers(0, 2**20)))
    return Acknowledgement(up_to, highest, BrokerInstanceId(draw(st.uuids())), *pieces)


@st.composite
def _fragments(draw: st.DrawFn) -> Fragment:
    size = draw(st.integers(1, 2**20))
    message_bytes = draw(st.integers(size + 1, 2**31 - 1))
    return Fragment(draw(st.integers(0, -(-message_bytes // size) - 1)), size, message_bytes)


_targets = st.builds(DialogTarget, service_name=_names, broker_instance=st.none() | st.uuids())

messages = st.builds(
    ForwardedMessage,
    message=st.builds(
        DialogMessage,
        conversation_id=st.uuids(),
        from_initiator=st.booleans(),
        source=_targets,
        target=_targets,
        kind=st.sampled_from(MessageKind),
        sequence=st.none() | st.integers(0, 2**40),
        contract=_names,
        message_type=st.none() | _names,
        body=st.none() | st.binary(max_size=200),
        fragment=st.none() | _fragments(),
        acknowledgement=st.none() | _acknowledgements(),
        first_acknowledged=st.booleans(),
        expires_at=st.floats(min_value=-1e10, max_value=1e12),
        priority=st.integers(1, 10),
    ),
    hops_remaining=st.integers(0, 255),
    time_to_live=_seconds,
    time_consumed=_seconds,
)
"""Any message a link may have to carry."""
