"""Addresses as texts: whatever is accepted can be typed again and means the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.route import NetworkAddress
from engine.core.vocabulary.errors import CatalogError

NUMBERS_OF_ADDRESSES = {9659, 9660, 9744}
PIECES = st.sampled_from(
    ["TCP://", "tcp:", "/", "//", ":", "[", "]", "::1", "lyon", "é", "4022", "0", " ", "LOCAL", "%"]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=8).map("".join)), st.booleans())
def test_any_text_is_either_an_address_or_refused_with_a_number_of_the_rules(text: str, port_required: bool) -> None:
    refused_with = None
    try:
        address, _ = parse_route_address(text, port_required=port_required)
    except CatalogError as error:
        address, refused_with = None, error.number
    assert (address is None) == (refused_with in NUMBERS_OF_ADDRESSES)
    if isinstance(address, NetworkAddress):
        assert address.text == text
        assert 0 < address.tcp.port < 65536


@given(st.lists(PIECES, max_size=8).map("".join))
def test_the_normal_form_of_an_address_means_the_same_address(text: str) -> None:
    try:
        address, _ = parse_route_address(text, port_required=True)
    except CatalogError:
        return
    again, warnings = parse_route_address(
        str(address.tcp) if isinstance(address, NetworkAddress) else str(address), port_required=True
    )
    assert warnings == ()
    assert getattr(again, "tcp", again) == getattr(address, "tcp", address)


@pytest.mark.parametrize("text", ["TCP://\x00:4022", "tcp://host\x1f:4022", "TCP://host:4022/\x7f", "TCP://h\x85:4022"])
def test_an_address_with_a_control_character_is_refused(text):
    with pytest.raises(CatalogError) as caught:
        parse_route_address(text, port_required=True)
    assert caught.value.number == 9744
