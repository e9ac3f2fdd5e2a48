"""PARIS ──▶ LYON, secured as each test says."""

import pytest

from engine.core.vocabulary.dialog_security import KeySuite
from tests.support.certificates import initiator, target
from tests.support.secure_world import SecureWorld


@pytest.fixture(params=list(KeySuite))
def world(request):
    """Both suites: what follows holds for each."""
    return SecureWorld(suite=request.param)


@pytest.fixture
def paris(world):
    return world.paris(initiator())


@pytest.fixture
def lyon(world):
    return world.lyon(target())
