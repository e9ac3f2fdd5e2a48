"""Settings of `make run`: one process on this machine, nothing to install, nothing to configure."""

from __future__ import annotations

from brokerweb.config.data_directory import generated_secret_key, make_data_directory
from brokerweb.config.settings.base import *  # noqa: F403
from brokerweb.config.settings.base import ENVIRONMENT

make_data_directory(ENVIRONMENT.data_directory)
SECRET_KEY = ENVIRONMENT.secret_key or generated_secret_key(ENVIRONMENT.data_directory)
# A page built while the server runs is served without a restart.
WHITENOISE_AUTOREFRESH = True
