"""How many events an instance keeps is a setting, wherever its store is."""

from pathlib import Path

import pytest

from engine.core.vocabulary.identifiers import EstateName, EventSequence, InstanceName
from engine.hosting.settings import HostingSettings
from engine.hosting.shelves import shelf_of
from engine.storage.known_replies import TRIM_EVERY
from tests.engine.ports.store_contract import taken

KEPT = 3 * TRIM_EVERY


@pytest.mark.parametrize("is_in_postgres", [False, True])
def test_an_instance_keeps_as_many_events_as_the_setting_says(
    tmp_path: Path, is_in_postgres: bool, request: pytest.FixtureRequest
):
    url = request.getfixturevalue("empty").url if is_in_postgres else None
    shelf = shelf_of(HostingSettings(data_directory=tmp_path, store_url=url, events_kept=KEPT))
    store = shelf.open((EstateName("démo"), InstanceName("PARIS")))
    for _ in range(2 * KEPT // 500):
        store.commit([], [taken(1)] * 500)
    kept = store.events_after(EventSequence(0), 3 * KEPT)
    assert KEPT <= len(kept) <= KEPT + TRIM_EVERY
    assert kept[-1][0] == 2 * KEPT
    store.close()
    shelf.close()
