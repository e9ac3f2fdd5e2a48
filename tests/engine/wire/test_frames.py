"""Frames as bytes: what goes in comes out, and whatever is not a frame is a numbered breach, never another error."""

from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.link.codec import CHECKSUM, HEADER, LAYOUT_VERSION, MAGIC, FrameReader, encode, framed
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
from engine.core.link.negotiation import Algorithm, EncryptionLevel, Method, Offer
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.limits import FRAGMENT_BYTES_MAX, FRAME_BYTES_MAX
from engine.core.vocabulary.messages import Acknowledgement, Fragment
from tests.support.wire_messages import LYON_DATABASE, message, messages

ARBITRATION = UUID("01234567-89ab-4cde-8f01-23456789abcd")
HELLO = Hello(
    protocol_version=4,
    estate=EstateName("demo"),
    instance=InstanceName("PARIS"),
    arbitration_id=ARBITRATION,
    offer=Offer(
        methods=(Method.CERTIFICATE,),
        encryption=EncryptionLevel.REQUIRED,
        algorithms=(Algorithm.AES,),
        key_share=bytes(range(32)),
        tls_certificate=b"DER",
    ),
    listening_port=4022,
)
HELLO_OF_VERSION_2 = bytes.fromhex(
    "534201010000004f8a761e5984b070726f746f636f6c5f76657273696f6e01a6657374617465a464656d6fa8696e7374616e"
    "6365a55041524953ae6172626974726174696f6e5f6964c4100123456789ab4cde8f0123456789abcd"
)
"""As it was before there was an offer (its version number is 1, which is as good)."""

_texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
_offers = st.builds(
    Offer,
    methods=st.lists(st.sampled_from(Method), max_size=3).map(tuple),
    encryption=st.sampled_from(EncryptionLevel),
    algorithms=st.lists(st.sampled_from(Algorithm), max_size=2).map(tuple),
    key_share=st.none() | st.binary(max_size=40),
    tls_certificate=st.none() | st.binary(max_size=300),
)
frames = st.one_of(
    st.builds(
        Hello,
        protocol_version=st.integers(0, 9),
        estate=_texts,
        instance=_texts,
        arbitration_id=st.uuids(),
        offer=_offers,
        listening_port=st.none() | st.integers(1, 65535),
    ),
    st.builds(Welcome, instance=_texts, arbitration_id=st.uuids(), offer=_offers),
    st.builds(Refuse, number=st.integers(0, 99999), text=_texts),
    st.builds(Proof, certificate=st.none() | st.binary(max_size=40), signature=st.none() | st.binary(max_size=40)),
    st.builds(Validation, digest=st.binary(max_size=40)),
    st.just(Arbitration()),
    st.builds(Goodbye, number=st.integers(0, 99999), text=_texts),
    st.builds(RoleRequest, broker_instance=st.uuids()),
    st.builds(RoleClaim, broker_instance=st.uuids(), is_principal=st.booleans()),
    st.builds(Fragments, messages=st.lists(messages, max_size=5).map(tuple)),
)


def outcome(data: bytes) -> list[Frame] | int:
    """What a reader makes of `data`: frames, or the number of the breach; any other error is a failed test."""
    try:
        return list(FrameReader().feed(data))
    except RemoteProtocolError as error:
        return error.number


def breach(data: bytes) -> int:
    with pytest.raises(RemoteProtocolError) as caught:
        list(FrameReader().feed(data))
    return caught.value.number


@given(st.lists(frames, max_size=4), st.integers(1, 50))
def test_frames_survive_the_wire_however_the_bytes_are_cut(sent: list[Frame], piece: int):
    stream = b"".join(encode(frame) for frame in sent)
    reader = FrameReader()

    received = [frame for at in range(0, len(stream), piece) for frame in reader.feed(stream[at : at + piece])]

    assert received == sent


@given(frames, st.data())
def test_a_truncated_frame_is_awaited_not_invented(frame: Frame, data: st.DataObject):
    whole = encode(frame)
    cut = data.draw(st.integers(0, len(whole) - 1))
    assert list(FrameReader().feed(whole[:cut])) == []


@given(frames, st.data())
def test_a_flipped_bit_never_passes(frame: Frame, data: st.DataObject):
    """Header damage is refused at once or leaves the frame unfinished; the checksum catches everything else."""
    broken = bytearray(encode(frame))
    bit = data.draw(st.integers(0, len(broken) * 8 - 1))
    broken[bit // 8] ^= 1 << bit % 8
    assert outcome(bytes(broken)) in ([], 28001, 28040, 11297)


@given(st.integers(0, 255), st.binary(max_size=60))
def test_any_payload_under_a_good_header_is_a_frame_or_a_breach(kind: int, payload: bytes):
    result = outcome(framed(kind, payload))
    assert isinstance(result, list) or result in {28040, 11281}


@given(st.binary(min_size=1, max_size=200))
def test_noise_raises_nothing_but_breaches(noise: bytes):
    result = outcome(noise)
    assert isinstance(result, list) or result in {28001, 28040, 11297, 11281}


def test_bytes_that_are_no_frame_are_28001():
    assert breach(b"GET / HTTP/1.1\r\n") == 28001


def test_an_unknown_kind_or_layout_is_28040():
    assert breach(framed(99, b"")) == 28040
    assert breach(framed(0, b"")) == 28040
    assert breach(HEADER.pack(MAGIC, 2, 1, 0) + CHECKSUM.pack(0)) == 28040


def test_a_frame_that_announces_too_much_is_refused_before_its_payload_comes():
    assert breach(HEADER.pack(MAGIC, LAYOUT_VERSION, 1, FRAME_BYTES_MAX + 1) + CHECKSUM.pack(0)) == 28040


def test_a_wrong_checksum_is_11297():
    whole = encode(HELLO)
    assert breach(whole[:-1] + bytes([whole[-1] ^ 1])) == 11297


def test_deep_nesting_is_a_breach_not_a_crash():
    assert breach(framed(4, b"\x91" * 100_000)) == 11281


@pytest.mark.parametrize(
    "damage",
    [
        {"sequence": -1},
        {"sequence": 2**63},
        {"priority": 256},
        {"expires_at": float("nan")},
        {"acknowledgement": Acknowledgement(up_to=-2, highest_seen=0, broker_instance=LYON_DATABASE)},
        {"acknowledgement": Acknowledgement(up_to=5, highest_seen=-2, broker_instance=LYON_DATABASE)},
        {"acknowledgement": Acknowledgement(5, 6, LYON_DATABASE, fragments=-1)},
        {"acknowledgement": Acknowledgement(5, 6, LYON_DATABASE, highest_seen_fragment=2**63)},
        {"fragment": Fragment(number=-1, size=10, message_bytes=20)},
        {"fragment": Fragment(number=2, size=10, message_bytes=20)},
        {"fragment": Fragment(number=0, size=0, message_bytes=20)},
        {"fragment": Fragment(number=0, size=20, message_bytes=20)},
        {"fragment": Fragment(number=0, size=1, message_bytes=2**63)},
    ],
)
def test_a_message_whose_numbers_make_no_sense_is_11281(damage: dict[str, object]):
    good = message()
    bad = msgspec.structs.replace(good, message=msgspec.structs.replace(good.message, **damage))
    assert breach(encode(Fragments(messages=(good, bad)))) == 11281


@pytest.mark.parametrize("damage", [{"hops_remaining": -1}, {"time_to_live": -0.5}, {"time_consumed": float("inf")}])
def test_a_journey_that_makes_no_sense_is_11281(damage: dict[str, object]):
    bad = msgspec.structs.replace(message(), **damage)
    assert breach(encode(Fragments(messages=(bad,)))) == 11281


def test_the_largest_body_fits_a_frame():
    largest = Fragments(messages=(message(body=bytes(FRAGMENT_BYTES_MAX)),))
    assert list(FrameReader().feed(encode(largest))) == [largest]


def test_the_bytes_of_a_hello_do_not_change_unnoticed():
    """A golden frame: whoever changes these bytes breaks running estates and must raise the protocol version."""
    assert encode(HELLO).hex() == GOLDEN_HELLO


def test_a_hello_of_an_older_version_is_read_so_that_it_can_be_refused():
    [hello] = FrameReader().feed(HELLO_OF_VERSION_2)
    assert isinstance(hello, Hello)
    assert (hello.protocol_version, hello.offer) == (1, Offer())


def test_the_bytes_of_fragments_do_not_change_unnoticed():
    assert encode(Fragments(messages=(message(body=b"abc"),))).hex() == GOLDEN_FRAGMENTS


GOLDEN_HELLO = (
    "53420101000000e2420cfecf86b070726f746f636f6c5f76657273696f6e04a6657374617465a464656d6fa8696e7374616e"
    "6365a55041524953ae6172626974726174696f6e5f6964c4100123456789ab4cde8f0123456789abcda56f6666657285a76d"
    "6574686f647391ab4345525449464943415445aa656e6372797074696f6ea85245515549524544aa616c676f726974686d73"
    "91a3414553a96b65795f7368617265c420000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1faf"
    "746c735f6365727469666963617465c403444552ae6c697374656e696e675f706f7274cd0fb6"
)
GOLDEN_FRAGMENTS = (
    "534201040000017e9719a1d281a86d657373616765739184a76d6573736167658eaf636f6e766572736174696f6e5f6964c4"
    "1011111111222243338444555555555555ae66726f6d5f696e69746961746f72c3a6736f7572636582ac736572766963655f"
    "6e616d65a9436f6d6d616e646573af62726f6b65725f696e7374616e6365c410aaaaaaaaaaaa4aaa8aaaaaaaaaaaaaaaa674"
    "617267657482ac736572766963655f6e616d65a9456e74726570c3b474af62726f6b65725f696e7374616e6365c0a46b696e"
    "64a475736572a873657175656e636500a8636f6e7472616374a94c6976726169736f6eac6d6573736167655f74797065a54f"
    "72647265a4626f6479c403616263a8667261676d656e74c0af61636b6e6f776c656467656d656e74c0b266697273745f6163"
    "6b6e6f776c6564676564c2aa657870697265735f6174cb41ddcd6500000000a87072696f7269747905ae686f70735f72656d"
    "61696e696e6710ac74696d655f746f5f6c697665cb404e000000000000ad74696d655f636f6e73756d656400"
)
