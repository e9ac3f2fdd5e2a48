"""The whole product in this process: the sample estate wanted and running, with messages, drafts and backups in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.services.imports import sample_load
from engine import api as engine
from tests.api.names import Names, names_of
from tests.brokerweb.conftest import ApiClient, engine_of_a_file, is_applied
from tests.support.waiting import until


@pytest.fixture(scope="module")
def running_engine(django_db_setup: None, django_db_blocker: Any) -> Iterator[engine.EmbeddedEngine]:
    yield from engine_of_a_file(django_db_blocker)


@pytest.fixture
def names(running_engine: None, transactional_db: None) -> Iterator[Names]:
    """What there is to name in addresses and bodies; all of it is gone afterwards."""
    admin = user_create("admin", Role.ADMIN, reads_payloads=True)
    estate = Estate.objects.get(name=sample_load("demo-fr-de", user=admin).estate_name)
    try:
        until(lambda: is_applied(estate), "every instance has the first revision")
        yield names_of(estate, client_of(admin))
        until(lambda: not OutboxMessage.objects.filter(attempts=0).exists(), "nothing is on its way any more")
    finally:
        for instance in Instance.objects.select_related("estate"):
            engine.close_instance(instance.estate.name, instance.name, forgets=True)


def client_of(user: User | None) -> ApiClient:
    """The browser of somebody who is logged in, or of nobody; what fails in the server is answered, not raised."""
    client = ApiClient(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    return client
