"""What journeys through the live views do beside the page: as the page would, over the API, with its session."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.support.waiting import until

ESTATE = "demo-fr-de"
API = f"/api/v1/estates/{ESTATE}"
LIVE = f"/estates/{ESTATE}/live"
TO_LYON = {
    "from_instance": "PARIS",
    "from_database": "Ventes",
    "from_service": "//exemple.fr/Ventes/Guichet",
    "to_service": "//exemple.fr/Commandes/Réception",
    "contract": "//exemple.fr/Commandes/Contrat",
    "message_type": "//exemple.fr/Commandes/Commande",
}
THROUGH_HUB = TO_LYON | {
    "to_service": "//beispiel.de/Lager/Größenprüfung",
    "contract": "//beispiel.de/Lager/Prüfvertrag",
    "message_type": "//beispiel.de/Lager/Prüfauftrag",
}
TO_THE_MIRROR = TO_LYON | {
    "to_service": "//beispiel.de/Buchhaltung/Rechnungen",
    "contract": "//beispiel.de/Buchhaltung/Vertrag",
    "message_type": "//beispiel.de/Buchhaltung/Rechnung",
}


def post(page: Page, path: str, body: dict[str, Any]) -> Any:
    """As the page would, with its session."""
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    answer = page.request.post(f"{API}/{path}", data=body, headers={"X-CSRFToken": tokens[0]})
    assert answer.ok, answer.text()
    return answer.json()


def topic(page: Page, name: str) -> dict[str, Any]:
    """What the API tells of a topic now."""
    answer = page.request.get(f"{API}/live/{name}")
    assert answer.ok, answer.text()
    return answer.json()


def start_traffic(page: Page, *, rate: float, dialog_messages: int = 20) -> None:
    """Test traffic from PARIS to LYON."""
    plan = {"pairs": [TO_LYON], "rate": rate, "size": 64, "reply_ratio": 0, "dialog_messages": dialog_messages}
    post(page, "traffic/start", plan)


def stop_traffic(page: Page) -> None:
    """End it, with its conversations."""
    post(page, "traffic/stop", {})
    until(lambda: page.request.get(f"{API}/traffic").json()["state"] == "stopped", what="the end of the traffic")


OWN_TIMERS_MILLISECONDS = 6_000
"""Longer than any timer after which the page reads by itself, shorter than it bears silence of the live connection."""

LISTENING = """
window.told = {};
window.WebSocket = class extends WebSocket {
    constructor(...address) {
        super(...address);
        this.addEventListener('message', ({data}) => {
            for (const {type, stream, facts, ops} of JSON.parse(data)) {
                if (type === 'snapshot') told[stream] = facts ?? {};
                if (type === 'delta') Object.assign(told[stream] ??= {}, ops.facts);
            }
        });
    }
};
"""
"""Keeps the facts of each stream of the live connection as the page has received them."""


def until_so(page: Page, condition: str, argument: Any = None) -> None:
    """Wait until a function of the argument is true in the page.

    `page.wait_for_function` makes a script of a text within the page, which the page's Content-Security-Policy refuses.
    """
    until(lambda: page.evaluate(condition, argument), condition)


def listen(page: Page) -> None:
    """Keep what the live connection tells the pages that are opened from now on, for `until_told`."""
    page.add_init_script(LISTENING)


def until_told(page: Page, condition: str, argument: Any) -> None:
    """Wait until the page has received facts of a topic that meet a condition, a function of them and the argument."""
    until_so(page, f"argument => Object.values(told).some((facts) => ({condition})(facts, argument))", argument)


def let_it_read(page: Page) -> None:
    """Give a page with an installed clock the time in which it would read by itself, and its requests time to leave."""
    page.clock.run_for(OWN_TIMERS_MILLISECONDS)
    settle(page)


def settle(page: Page) -> None:
    """Wait for an answer of the server: what the page had to ask by now has left before it."""
    assert page.evaluate("fetch('/api/v1/me').then(({status}) => status)") == 200


class Waiting:
    """A dialog from PARIS to somebody who listens to nobody: what is sent waits."""

    def __init__(self, page: Page, way: dict[str, str] | None = None) -> None:
        self._page = page
        self._way = way or TO_LYON
        self._path = "instances/PARIS/databases/Ventes/conversations"
        begun = post(page, self._path, {name: self._way[name] for name in ("from_service", "to_service", "contract")})
        self._path += f"/{begun['conversation_handle']}"

    def send(self, count: int) -> None:
        """So many messages."""
        bodies = ["<commande/>"] * count
        post(self._page, f"{self._path}/messages", {"message_type": self._way["message_type"], "bodies": bodies})

    def give_up(self) -> None:
        """End it, with what waits."""
        post(self._page, f"{self._path}/end", {"with_cleanup": True})
