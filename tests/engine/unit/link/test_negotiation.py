"""What two endpoints agree on: the truth tables of protocol.md 7.3, and how clauses become offers."""

from itertools import product

import pytest

from engine.core.catalog.objects import Endpoint
from engine.core.link.arbitration import FOUND_BY_ADDRESS, NEWER_STAYS, OLDER_STAYS, VERDICTS
from engine.core.link.negotiation import (
    Agreement,
    Algorithm,
    EncryptionLevel,
    LinkPolicy,
    Method,
    Offer,
    Protection,
    agreement,
    policy_of,
)
from engine.core.link.states import LinkRole
from engine.core.vocabulary.settings import Authentication

SHARE = bytes(32)
DISABLED, SUPPORTED, REQUIRED = EncryptionLevel
AES = (Algorithm.AES,)


def offer(level: EncryptionLevel = REQUIRED, *methods: Method, **fields: object) -> Offer:
    values = {"algorithms": AES, "key_share": SHARE, "tls_certificate": b"DER", **fields}
    return Offer(methods=methods or (Method.NONE,), encryption=level, **values)


@pytest.mark.parametrize(
    ("ours", "peer", "outcome"),
    [
        (DISABLED, DISABLED, "clear"),
        (DISABLED, SUPPORTED, "clear"),
        (DISABLED, REQUIRED, "refused"),
        (SUPPORTED, DISABLED, "clear"),
        (SUPPORTED, SUPPORTED, "encrypted"),
        (SUPPORTED, REQUIRED, "encrypted"),
        (REQUIRED, DISABLED, "refused"),
        (REQUIRED, SUPPORTED, "encrypted"),
        (REQUIRED, REQUIRED, "encrypted"),
    ],
)
def test_7_3_the_encryption_table(ours: EncryptionLevel, peer: EncryptionLevel, outcome: str):
    expected = {
        "clear": Agreement(Method.NONE, Protection.SIGNED),
        "encrypted": Agreement(Method.NONE, Protection.AES),
        "refused": 28027,
    }
    assert agreement(offer(ours), offer(peer)) == expected[outcome]


def test_7_3_no_common_algorithm_is_28027():
    assert agreement(offer(algorithms=(Algorithm.RC4,)), offer()) == 28027


def test_7_3_rc4_alone_is_no_common_algorithm_because_it_is_broken():
    old = offer(algorithms=(Algorithm.RC4,))
    assert agreement(old, old) == 28027


def test_without_cryptography_there_is_no_encryption_and_no_signature():
    clear = offer(DISABLED, key_share=None)
    assert agreement(clear, clear) == Agreement(Method.NONE, Protection.NONE)
    assert agreement(offer(tls_certificate=None), offer()) == 28027
    assert agreement(offer(), offer(tls_certificate=None)) == 28027


@pytest.mark.parametrize("size", [0, 31, 33])
def test_7_3_a_key_share_of_a_wrong_size_is_28059(size: int):
    assert agreement(offer(), offer(key_share=bytes(size))) == 28059
    assert agreement(offer(key_share=bytes(size)), offer()) == 28059


def test_7_3_the_order_of_the_accepting_end_decides():
    first = offer(REQUIRED, Method.CERTIFICATE, Method.NONE)
    second = offer(REQUIRED, Method.NONE, Method.CERTIFICATE)
    assert agreement(accepting=first, dialling=second) == Agreement(Method.CERTIFICATE, Protection.AES)
    assert agreement(accepting=second, dialling=first) == Agreement(Method.NONE, Protection.AES)


def test_7_3_no_common_method_is_28027():
    assert agreement(offer(REQUIRED, Method.CERTIFICATE), offer(REQUIRED, Method.WINDOWS)) == 28027


def test_7_3_windows_is_passed_over_when_there_is_another_method():
    both = offer(REQUIRED, Method.WINDOWS, Method.CERTIFICATE)
    assert agreement(both, both) == Agreement(Method.CERTIFICATE, Protection.AES)


def test_7_3_windows_alone_is_28039():
    windows = offer(REQUIRED, Method.WINDOWS)
    assert agreement(windows, offer(REQUIRED, Method.WINDOWS, Method.CERTIFICATE)) == 28039


@pytest.mark.parametrize(
    ("clause", "methods", "certificate"),
    [
        ("WINDOWS", (Method.WINDOWS,), None),
        ("WINDOWS NEGOTIATE", (Method.WINDOWS,), None),
        ("CERTIFICATE [Lyon]", (Method.CERTIFICATE,), "Lyon"),
        ("WINDOWS KERBEROS CERTIFICATE [a]]b c]", (Method.WINDOWS, Method.CERTIFICATE), "a]b c"),
        ("CERTIFICATE [WINDOWS] WINDOWS NTLM", (Method.CERTIFICATE, Method.WINDOWS), "WINDOWS"),
    ],
)
def test_the_authentication_clause_is_read_as_written(
    clause: str, methods: tuple[Method, ...], certificate: str | None
):
    policy = policy_of(Endpoint("Broker", 4022, authentication=clause), Authentication.PROVED)
    assert (policy.methods, policy.certificate) == (methods, certificate)


@pytest.mark.parametrize(
    ("clause", "level", "algorithms"),
    [
        ("DISABLED", DISABLED, ()),
        ("SUPPORTED", SUPPORTED, AES),
        ("SUPPORTED ALGORITHM RC4", SUPPORTED, (Algorithm.RC4,)),
        ("REQUIRED ALGORITHM AES", REQUIRED, AES),
        ("REQUIRED ALGORITHM RC4 AES", REQUIRED, (Algorithm.RC4, Algorithm.AES)),
    ],
)
def test_the_encryption_clause_is_read_as_written(
    clause: str, level: EncryptionLevel, algorithms: tuple[Algorithm, ...]
):
    policy = policy_of(Endpoint("Broker", 4022, encryption=clause), Authentication.PROVED)
    assert (policy.encryption, policy.algorithms) == (level, algorithms)


def test_where_hosts_vouch_they_do_so_for_windows_and_certificates_are_proved():
    policy = policy_of(Endpoint("Broker", 4022, authentication="CERTIFICATE [c] WINDOWS"), Authentication.VOUCHED)
    assert policy == LinkPolicy(
        methods=(Method.CERTIFICATE, Method.VOUCHED), certificate="c", encryption=REQUIRED, algorithms=AES
    )
    vouched = policy_of(Endpoint("Broker", 4022), Authentication.VOUCHED)
    assert (vouched.methods, vouched.certificate) == ((Method.VOUCHED,), None)


def test_7_3_an_endpoint_with_certificates_only_has_nothing_in_common_with_one_that_is_vouched_for():
    assert agreement(offer(REQUIRED, Method.CERTIFICATE), offer(REQUIRED, Method.NONE)) == 28027


def test_7_1_arbitration_never_closes_both_of_two_crossing_connections():
    """What one end says of the newer connection agrees with what the other end says of the older one."""
    for ours_is_lower in (True, False):
        seen_by_us = VERDICTS[LinkRole.DIALLING, LinkRole.ACCEPTING, ours_is_lower]
        seen_by_peer = VERDICTS[LinkRole.ACCEPTING, LinkRole.DIALLING, not ours_is_lower]
        assert seen_by_us == seen_by_peer == (NEWER_STAYS if ours_is_lower else OLDER_STAYS)


def test_7_1_the_arbitration_table_is_complete():
    assert set(VERDICTS) == set(product(LinkRole, LinkRole, (True, False)))
    assert set(VERDICTS.values()) == {OLDER_STAYS, NEWER_STAYS, FOUND_BY_ADDRESS}
    assert {OLDER_STAYS, NEWER_STAYS, FOUND_BY_ADDRESS} == {28032, 28033, 28098}
