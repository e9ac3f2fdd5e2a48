"""Who may send to a service is seen and changed at its details, by a person with a browser."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

SERVICE = "//exemple.fr/Commandes/Réception"


@pytest.mark.slow
def test_send_is_revoked_from_public_and_granted_again(page: Page) -> None:
    place = "/".join(quote(part, safe="") for part in ("service", "LYON", "Entrepôt", SERVICE))
    page.goto(f"/estates/demo-fr-de/topology?select={quote(place, safe='')}")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    details = page.get_by_role("complementary", name="Details")
    expect(details.get_by_role("heading", name="Who may send")).to_be_visible()
    details.get_by_role("button", name="Revoke SEND from public").click()
    expect(details.get_by_text("SEND is granted to nobody")).to_be_visible()
    expect(details.get_by_text(f"REVOKE SEND ON SERVICE::[{SERVICE}] FROM [public];")).to_be_attached()
    check_barriers(page)

    details.get_by_role("combobox", name="User or public").click()
    page.get_by_role("option", name="public").click()
    details.get_by_role("button", name="Grant SEND").click()
    expect(details.get_by_text("May send", exact=True)).to_be_visible()
    check_barriers(page)
