"""Settings of the tests: a data directory of their own, made for the run and removed after it."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import msgspec

from brokerweb.config.settings import base
from brokerweb.config.settings.base import *  # noqa: F403

_directory = Path(tempfile.mkdtemp(prefix="brokerweb-test-"))
atexit.register(shutil.rmtree, _directory, ignore_errors=True)

ENVIRONMENT = msgspec.structs.replace(base.ENVIRONMENT, data_directory=_directory)
SECRET_KEY = "only-for-tests"  # noqa: S105
DATABASES = {"default": base.database_settings(ENVIRONMENT)}
if ENVIRONMENT.database_url is None:
    # A file, not memory: threads of the engine and of the server see the same database as the test.
    DATABASES["default"]["TEST"] = {"NAME": _directory / "test.sqlite3"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Threads beside a test would read the database of the next one.
WARMS_UP = False
WHITENOISE_USE_FINDERS = False
# Each browser of a test is a server of its own to WhiteNoise: it would look through all files of the page at once.
WHITENOISE_AUTOREFRESH = True
