"""A peer that ends TLS, which ours never does, and goes on: its connection ends, and nobody waits for it (ADR 18)."""

import asyncio
import ssl
from uuid import uuid4

import pytest

from engine.core.link.codec import FrameReader, encode
from engine.core.link.frames import PROTOCOL_VERSION, Hello
from engine.core.link.negotiation import Algorithm, EncryptionLevel, Method, Offer
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.transport.tls import TlsCredential, TlsTunnel
from tests.support.hand_clock import until
from tests.support.proving_instances import ProvingInstance

A_RECORD = b"\x17\x03\x03\x00\x20" + bytes(32)


def goodbye_in_tls(tunnel: TlsTunnel) -> bytes:
    """close_notify, which only somebody else's end says."""
    with pytest.raises(ssl.SSLWantReadError):
        tunnel._tls.unwrap()
    return tunnel._outgoing.read()


def tunnels() -> tuple[TlsTunnel, TlsTunnel]:
    here, there = TlsCredential(), TlsCredential()
    dialling = here.tunnel(LinkRole.DIALLING, there.certificate)
    accepting = there.tunnel(LinkRole.ACCEPTING, here.certificate)
    for _ in range(3):
        accepting.receive(dialling.send(b""))
        dialling.receive(accepting.send(b""))
    return dialling, accepting


@pytest.mark.timeout(10)
@pytest.mark.parametrize("behind", [b"", A_RECORD], ids=["nothing", "a record"])
def test_the_end_of_tls_is_28044_whatever_stands_behind_it(behind: bytes):
    dialling, accepting = tunnels()
    accepting.receive(dialling.send(b"bonjour"))
    with pytest.raises(RemoteProtocolError) as refused:
        accepting.receive(goodbye_in_tls(dialling) + behind)
    assert refused.value.number == 28044
    assert accepting.send(b"more") == b""


@pytest.mark.timeout(20)
async def test_a_stranger_that_ends_tls_and_goes_on_does_not_stop_the_others():
    """It needs no certificate that anybody knows: TLS begins before the proof."""
    lyon = ProvingInstance("LYON", {})
    reader, writer = await asyncio.open_connection(*await lyon.listen())
    credential = TlsCredential()
    offer = Offer(
        methods=(Method.CERTIFICATE,),
        encryption=EncryptionLevel.REQUIRED,
        algorithms=(Algorithm.AES,),
        key_share=bytes(range(32)),
        tls_certificate=credential.certificate,
    )
    hello = Hello(
        protocol_version=PROTOCOL_VERSION, estate="demo", instance="NOBODY", arbitration_id=uuid4(), offer=offer
    )
    writer.write(encode(hello))
    frames, heard = FrameReader(), []
    while not heard:
        heard = list(frames.feed(await reader.read(65536)))
    tunnel = credential.tunnel(LinkRole.DIALLING, heard[0].offer.tls_certificate)
    writer.write(tunnel.send(b""))
    while not tunnel._is_open:
        tunnel.receive(await reader.read(65536))
    writer.write(tunnel.send(b"") + goodbye_in_tls(tunnel) + A_RECORD)
    await until(lambda: lyon.logins, "LYON has turned the stranger away")
    assert lyon.logins[0].number == 28044
    writer.close()
    lyon.close()
