"""An engine in this process, as `make run` has it, on a data directory of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.vocabulary.moment import Duration
from engine.hosting.app import celery_app, configure
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.settings import HostingSettings


@pytest.fixture(autouse=True)
def configuration() -> Iterator[None]:
    """The application is one for the process: other tests find it as they left it."""
    before = celery_app.hosting
    yield
    if before is not None:
        configure(before)


@pytest.fixture
def settings(tmp_path: Path) -> HostingSettings:
    return HostingSettings(data_directory=tmp_path / "engine", wakes_web=False, retry_seconds=Duration(0.2))


@pytest.fixture
def engine(settings: HostingSettings) -> Iterator[EmbeddedEngine]:
    configure(settings)
    engine = EmbeddedEngine()
    engine.start()
    yield engine
    engine.stop()
