"""Settings behind a proxy that ends TLS; what must be decided by a person is refused when it is missing."""

from __future__ import annotations

from brokerweb.config.data_directory import make_data_directory
from brokerweb.config.env import LOCAL_HOSTS, SECRET_KEY_LENGTH_MIN, ConfigurationError, weakness
from brokerweb.config.settings.base import *  # noqa: F403
from brokerweb.config.settings.base import ENVIRONMENT

GENERATE = "python -c 'import secrets; print(secrets.token_urlsafe(48))' prints one."

if ENVIRONMENT.secret_key is None:
    raise ConfigurationError(
        f"SECRET_KEY is not set. Give it at least {SECRET_KEY_LENGTH_MIN} random characters: {GENERATE}"
    )
if (why := weakness(ENVIRONMENT.secret_key)) is not None:
    raise ConfigurationError(
        f"SECRET_KEY could be found by trying: {why}. Give it at least {SECRET_KEY_LENGTH_MIN} random ones: {GENERATE}"
    )
if ENVIRONMENT.allowed_hosts == LOCAL_HOSTS:
    raise ConfigurationError("ALLOWED_HOSTS is not set. Name the hosts under which the dashboard is reached.")
if any("*" in host or not host.strip(".") for host in ENVIRONMENT.allowed_hosts):
    raise ConfigurationError(
        "ALLOWED_HOSTS would let in every name. Name the hosts under which the dashboard is reached."
    )

make_data_directory(ENVIRONMENT.data_directory)
SECRET_KEY = ENVIRONMENT.secret_key
DEBUG = False
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_HSTS_SECONDS = 31_536_000
