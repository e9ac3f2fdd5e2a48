"""What journeys through the live views do beside the page: as the page would, over the API, with its session."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.support.running import eventually

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
    eventually(lambda: page.request.get(f"{API}/traffic").json()["state"] == "stopped", what="the end of the traffic")


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
