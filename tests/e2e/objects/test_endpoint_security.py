"""An endpoint is given a certificate, and a neighbour's login its permission, by a person with a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

TOPOLOGY = "/estates/demo-fr-de/topology"
SCRIPT = """
USE master;
CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Geheim-1';
CREATE CERTIFICATE [Paris 2026] WITH SUBJECT = 'PARIS', EXPIRY_DATE = '2040-01-01';
CREATE LOGIN [Lyon login] WITH PASSWORD = 'Geheim-2';
CREATE USER Lyon FOR LOGIN [Lyon login];
CREATE CERTIFICATE Brief AUTHORIZATION Lyon WITH SUBJECT = 'LYON', EXPIRY_DATE = '2040-01-01';
ALTER CERTIFICATE Brief REMOVE PRIVATE KEY;
"""


def imported(page: Page) -> None:
    """PARIS has a certificate of its own and knows LYON's."""
    cookie = next(each for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken")
    answer = page.request.post(
        "/api/v1/imports",
        headers={"X-CSRFToken": cookie["value"], "Referer": page.url},
        data={
            "estate": "demo-fr-de",
            "files": [{"name": "keys.sql", "text": SCRIPT}],
            "dry_run": False,
            "default_instance": "PARIS",
        },
    )
    assert answer.ok, answer.text()
    path = f"/api/v1/estates/demo-fr-de/change-sets/{answer.json()['change_set']}"
    tag = page.request.get(path).headers["etag"]
    applied = page.request.post(
        f"{path}/apply", headers={"X-CSRFToken": cookie["value"], "Referer": page.url, "If-Match": tag}
    )
    assert applied.ok, applied.text()


@pytest.mark.slow
def test_an_endpoint_gets_a_certificate_and_a_neighbour_its_permission(page: Page) -> None:
    page.goto(TOPOLOGY)
    imported(page)
    page.reload()
    page.get_by_role("group", name="Instance PARIS, port 4022").click(position={"x": 60, "y": 10})
    details = page.get_by_role("complementary", name="Details")
    expect(details.get_by_text("May not connect")).to_be_visible()
    details.get_by_role("button", name="Grant CONNECT to Lyon login").click()
    expect(details.get_by_text("May connect", exact=True)).to_be_visible()

    details.get_by_role("button", name="Change security").click()
    form = page.get_by_role("form", name="Change the endpoint of PARIS")
    form.get_by_role("combobox", name="Authentication").click()
    page.get_by_role("option", name="Certificate, then Windows").click()
    form.get_by_role("button", name="Save changes").click()
    expect(form.get_by_text("Choose a certificate")).to_be_visible()
    form.get_by_role("combobox", name="Certificate").click()
    page.get_by_role("option", name="Paris 2026").click()
    check_barriers(page)
    form.get_by_role("button", name="Save changes").click()

    expect(details.get_by_text("Paris 2026", exact=True)).to_be_visible()
    expect(details.get_by_text(re.compile("Valid until .* 2040"))).to_be_visible()
    expect(details.get_by_text("CERTIFICATE [Paris 2026] WINDOWS")).to_be_attached()
    check_barriers(page)
