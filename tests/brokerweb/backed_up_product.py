"""An installation with messages under way, a backup that was taken of it while it ran, and what it had then."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.running import REPOSITORY, Client, Running
from tests.support.waiting import until

ESTATE = "estates/demo-fr-de"
VENTES = f"{ESTATE}/instances/PARIS/databases/Ventes"
ENTREPOT = f"{ESTATE}/instances/LYON/databases/Entrepôt"
RECEPTION = "//exemple.fr/Commandes/Réception"
SENDERS = 3


def start_managing(data: Path, *arguments: str, file_bytes_max: int | None = None) -> subprocess.Popen[str]:
    """A management command in a process of its own; `file_bytes_max` is the size to which it may let a file grow."""
    return start_python(data, "manage.py", *arguments, file_bytes_max=file_bytes_max)


def start_python(data: Path, *arguments: str, file_bytes_max: int | None = None) -> subprocess.Popen[str]:
    """As `start_managing`, any program."""
    names = ("DJANGO_", "CELERY_", "DATABASE_URL", "ENGINE_STORE_URL")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    limited = () if file_bytes_max is None else ("prlimit", f"--fsize={file_bytes_max}")
    return subprocess.Popen(
        [*limited, sys.executable, *arguments],
        cwd=REPOSITORY,
        env={**environment, "BROKERWEB_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def manage(data: Path, *arguments: str, file_bytes_max: int | None = None) -> subprocess.CompletedProcess[str]:
    """As `start_managing`, waited for."""
    process = start_managing(data, *arguments, file_bytes_max=file_bytes_max)
    out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def is_applied(browser: Client) -> bool:
    instances = browser.get(ESTATE).json()["instances"]
    return all(each["desired_revision"] == each["applied_revision"] for each in instances)


def begin(browser: Client) -> str:
    """The path of a new conversation from PARIS to LYON."""
    services = {"from_service": "//exemple.fr/Ventes/Guichet", "to_service": RECEPTION}
    begun = browser.post_json(
        f"{VENTES}/conversations", {**services, "contract": "//exemple.fr/Commandes/Contrat"}
    ).raise_for_status()
    return f"{VENTES}/conversations/{begun.json()['conversation_handle']}"


def send(browser: Client, conversation: str, sender: int, number: int) -> None:
    body = {"message_type": "//exemple.fr/Commandes/Commande", "bodies": [f"{sender} {number}"]}
    browser.post_json(f"{conversation}/messages", body).raise_for_status()


def receive_all(browser: Client) -> list[tuple[int, int]]:
    """Sender and number of each message that is in LYON's queue, taken in their order."""
    queue = next(
        service["queue"]
        for instance in browser.get(ESTATE).json()["instances"]
        for database in instance["databases"]
        for service in database["services"]
        if service["name"] == RECEPTION
    )
    found: list[tuple[int, int]] = []
    while True:
        answer = browser.post_json(f"{ENTREPOT}/queues/{queue}/receive", {"top": 1000}).raise_for_status()
        if not (messages := answer.json()["messages"]):
            return found
        bodies = [each["message_body"] for each in messages]
        found += [(int(sender), int(number)) for sender, number in (body.split() for body in bodies)]


class Traffic:
    """Senders of a running product, each on a conversation of its own, one numbered message after another."""

    def __init__(self, browser: Client, link: str) -> None:
        self.conversations = [begin(browser) for _ in range(SENDERS)]
        self.sent = [0] * SENDERS
        """How many messages of each sender are confirmed."""
        self._is_over = threading.Event()
        self._cookies = browser.cookies
        self._address = link.split("/login/")[0]
        self._threads = [threading.Thread(target=self._send, args=(sender,)) for sender in range(SENDERS)]

    def _send(self, sender: int) -> None:
        with Client(base_url=f"{self._address}/api/v1/", timeout=120, cookies=self._cookies) as browser:
            while not self._is_over.is_set():
                send(browser, self.conversations[sender], sender, self.sent[sender])
                self.sent[sender] += 1

    @contextmanager
    def flowing(self) -> Iterator[None]:
        for thread in self._threads:
            thread.start()
        try:
            until(lambda: min(self.sent) > 5, "everyone has sent")
            yield
        finally:
            self._is_over.set()
            for thread in self._threads:
                thread.join()


def check_goes_on(data: Path, traffic: Traffic, sent_before: list[int], sent_after: list[int]) -> None:
    """Start the product on restored data: nothing that was confirmed is lost, nothing doubled, conversations go on.

    `sent_before` and `sent_after` are what each sender had confirmed when the backup began and when it had ended.
    """
    product = Running(data)
    link = product.start()
    try:
        with Client.logged_in(link) as browser:
            until(lambda: is_applied(browser), "all instances have their catalogs")
            for sender, conversation in enumerate(traffic.conversations):
                for number in (-1, -2):
                    send(browser, conversation, sender, number)
            received: list[tuple[int, int]] = []

            def have_come() -> bool:
                received.extend(receive_all(browser))
                return sum(number == -2 for _, number in received) == SENDERS

            until(have_come, "the last messages have come")
    finally:
        product.stop()
    for sender in range(SENDERS):
        numbers = [number for by, number in received if by == sender]
        count = len(numbers) - 2
        assert numbers == [*range(count), -1, -2]
        # A message that was on its way to the engine when the backup began or ended may be in it or not.
        assert sent_before[sender] <= count <= sent_after[sender] + 1
