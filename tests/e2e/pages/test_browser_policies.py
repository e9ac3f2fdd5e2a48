"""The policies for browsers keep strangers out of the built pages, and nothing of the product."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.pages.test_languages import ESTATE, PAGES
from tests.support.running import Running
from tests.support.waiting import until

pytestmark = pytest.mark.browser

LISTENING = """
    window.violations = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      window.violations.push(`${violatedDirective} ${blockedURI} ${sourceFile}`));
"""
FROM_ELSEWHERE = """async () => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
    const picture = document.createElement('img');
    picture.src = 'https://elsewhere.example/x.png';
    const frame = document.createElement('iframe');
    frame.src = '/login';
    const form = document.createElement('form');
    form.action = 'https://elsewhere.example/';
    document.body.append(picture, frame, form);
    form.submit();
    await fetch('https://elsewhere.example/').catch(() => {});
}"""


@pytest.mark.slow
def test_no_page_of_the_product_offends_against_its_policy(page: Page, product: tuple[Running, str]) -> None:
    """The console of the page fails the test too; that is how every other journey finds an offence."""
    page.add_init_script(LISTENING)
    found: dict[str, list[str]] = {}
    for address in [*PAGES, "/login", "/login/link/unknown", "/admin/"]:
        answer = page.goto(address if address.startswith("/") else f"{ESTATE}/{address}")
        assert answer is not None
        assert answer.headers["content-security-policy"], address
        expect(page.get_by_role("heading").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        if offences := page.evaluate("window.violations"):
            found[address] = offences
    assert found == {}


def test_what_is_brought_in_from_elsewhere_is_refused(product: tuple[Running, str], page: Page) -> None:
    context = page.context
    stranger = context.new_page()
    stranger.add_init_script(LISTENING)
    stranger.goto("/account")
    expect(stranger.get_by_role("heading").first).to_be_visible()
    stranger.evaluate(FROM_ELSEWHERE)
    expected = ["connect-src", "form-action", "frame-src", "img-src", "script-src-elem"]
    offended = "() => [...new Set(window.violations.map((each) => each.split(' ')[0]))].sort()"
    until(lambda: stranger.evaluate(offended) == expected, "everything was refused")
    assert stranger.evaluate("window.injected") is None
    stranger.close()
