"""Who asked: believed from proxies that are trusted, and from nobody else."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerweb.common.client_address import forwarded_for
from brokerweb.config.env import ConfigurationError, read_environment
from tests.brokerweb.estates import make_estate, pair_catalogs

PROXIES = (ip_network("10.0.0.0/24"), ip_network("fd00::/16"))


@pytest.mark.parametrize(
    ("connected", "header", "client"),
    [
        # Nobody in between; and what somebody who is no proxy writes of himself.
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "203.0.113.9", "192.0.2.7"),
        # One proxy, two proxies.
        ("10.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "203.0.113.9, 10.0.0.2", "203.0.113.9"),
        # The client has sent a list of his own; the proxy has added the truth at the end.
        ("10.0.0.1", "127.0.0.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "10.0.0.9, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        # What is no address ends the way at the last that was believed.
        ("10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.9, <script>, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "", "10.0.0.1"),
        # As some proxies write them.
        ("10.0.0.1", "203.0.113.9:51234", "203.0.113.9"),
        ("fd00::1", "[2001:db8::7]:443", "2001:db8::7"),
        ("::ffff:10.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("", "203.0.113.9", ""),
    ],
)
def test_only_what_a_trusted_proxy_has_written_is_believed(connected, header, client):
    assert forwarded_for(connected, header, PROXIES) == client


@given(st.text(max_size=60), st.ip_addresses(v=4))
def test_nobody_can_write_himself_another_address_through_a_proxy(written, real):
    """Whatever the client sends, the proxy adds the address that it was called from."""
    told = forwarded_for("10.0.0.1", f"{written},{real}", PROXIES)
    if not any(real in network for network in PROXIES if network.version == real.version):
        assert ip_address(told) == real


@given(st.text(max_size=60))
def test_without_trust_the_header_is_nothing(written):
    assert forwarded_for("10.0.0.1", written, ()) == "10.0.0.1"


def test_the_setting_names_addresses_and_networks():
    assert read_environment({}).trusted_proxies == ()
    found = read_environment({"TRUSTED_PROXIES": "10.0.0.5, 10.1.0.0/16, ::1"}).trusted_proxies
    assert [str(each) for each in found] == ["10.0.0.5/32", "10.1.0.0/16", "::1/128"]


@pytest.mark.parametrize("text", ["proxy.example", "10.0.0.5/8", "0.0.0.0/0", "::/0", "*"])
def test_what_would_trust_too_much_or_nobody_is_refused(text):
    with pytest.raises(ConfigurationError, match="TRUSTED_PROXIES"):
        read_environment({"TRUSTED_PROXIES": text})


@pytest.mark.django_db
@pytest.mark.parametrize(("trusted", "told"), [((), "127.0.0.1"), ((ip_network("127.0.0.1"),), "203.0.113.9")])
def test_the_log_has_the_address_of_the_client(editor, settings, trusted, told):
    make_estate(pair_catalogs())
    settings.TRUSTED_PROXIES = trusted
    path = "/estates/paire/instances/PARIS/databases/Ventes/routes/vers_lyon"
    answer = editor.ask("PATCH", path, {"address": "LOCAL"}, If_Match='"1"', X_Forwarded_For="6.6.6.6, 203.0.113.9")
    assert answer.status_code == 200
    assert editor.ask("GET", "/estates/paire/audit").json()["items"][0]["client_address"] == told
