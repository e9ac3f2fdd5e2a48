"""Settings common to every way of running; `dev`, `test` and `prod` add the little that differs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dj_database_url

from brokerweb.config.env import REPOSITORY, Environment, read_environment

ENVIRONMENT: Environment = read_environment(os.environ)
BASE_DIR: Path = REPOSITORY
FRONTEND_DIST: Path = REPOSITORY / "frontend" / "dist"

DEBUG = ENVIRONMENT.is_debug
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(ENVIRONMENT.trusted_origins)
TRUSTED_PROXIES = ENVIRONMENT.trusted_proxies
METRICS_TOKEN = ENVIRONMENT.metrics_token
TRAINING_RUNS_MAX = ENVIRONMENT.training_runs_max
LOGIN_LINK_SECONDS = ENVIRONMENT.login_link_seconds

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "channels",
    "brokerweb.common.leases",
    "brokerweb.common.outbox",
    "brokerweb.accounts",
    "brokerweb.jobs",
    "brokerweb.topology",
    "brokerweb.operations",
    "brokerweb.live",
    "brokerweb.traffic",
    "brokerweb.whatif",
    "brokerweb.training",
    "brokerweb.pipeline",
    "brokerweb.config",
]

MIDDLEWARE = [
    "brokerweb.config.browser_policies.browser_policies",
    "brokerweb.config.metrics.requests.measure_requests",
    "brokerweb.common.origin.remember_origin",
    "brokerweb.common.api.middleware.api_problems",
    "django.middleware.security.SecurityMiddleware",
    "brokerweb.config.static.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "brokerweb.accounts.middleware.LoginAnswers",
]

APPEND_SLASH = False
ROOT_URLCONF = "brokerweb.config.urls"
ASGI_APPLICATION = "brokerweb.config.asgi.application"
WARMS_UP = True
"""Whether what will be asked for is read before it is: in servers."""

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [REPOSITORY / "brokerweb" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]


POOL_SECONDS = 5.0
"""How long a thread waits for a connection of the pool; a request is answered with 503 then."""
POOL_IDLE_SECONDS = 60.0


def database_settings(environment: Environment) -> dict[str, Any]:
    """The database that `environment` names; without one, SQLite in the data directory.

    A process has at most `database_connections` to a PostgreSQL server, whatever the number of its threads. They are
    made when they are needed. An attempt to connect is given up as early as its thread, so that the next thread tries
    again as soon as the server is back.

    SQLite runs in WAL mode, and its transactions take the write lock at their first statement: two writers then
    queue up for at most `timeout` seconds instead of failing half-way.
    """
    if environment.database_url is not None:
        # Under ASGI each request has a thread of its own: at its end it gives its connection back to the pool.
        database = dict(dj_database_url.parse(environment.database_url, conn_max_age=0, conn_health_checks=True))
        if database["ENGINE"] == "django.db.backends.postgresql":
            database["OPTIONS"] = {
                **database.get("OPTIONS", {}),
                "pool": {
                    "min_size": 0,
                    "max_size": environment.database_connections,
                    "timeout": POOL_SECONDS,
                    "max_idle": POOL_IDLE_SECONDS,
                    "reconnect_timeout": POOL_SECONDS,
                },
            }
        return database
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": environment.data_directory / "brokerweb.sqlite3",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
        },
    }


def channel_layer_settings(environment: Environment) -> dict[str, Any]:
    """The channel layer: Redis when one is named, otherwise inside this process. It carries wake-ups only."""
    if environment.channel_redis_url is not None:
        return {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            "CONFIG": {"hosts": [environment.channel_redis_url], "capacity": 1000, "expiry": 10},
        }
    return {"BACKEND": "brokerweb.common.channel_layer.LocalChannelLayer", "CONFIG": {"expiry": 10}}


DATABASES = {"default": database_settings(ENVIRONMENT)}
CHANNEL_LAYERS = {"default": channel_layer_settings(ENVIRONMENT)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["brokerweb.accounts.throttling.ThrottledBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
# Cookies do not know ports: names of our own keep two local programs from logging each other out.
SESSION_COOKIE_NAME = "brokerweb_session"
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "brokerweb_csrftoken"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_HEADER_NAME = "HTTP_X_CSRFTOKEN"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français"), ("de", "Deutsch")]
LOCALE_PATHS = [REPOSITORY / "brokerweb" / "locale"]
USE_I18N = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [REPOSITORY / "brokerweb" / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ROOT = FRONTEND_DIST

SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
FILE_UPLOAD_HANDLERS = ["brokerweb.pipeline.services.uploads.PartHandler"]
# Imported scripts travel in one request; the engine's own bound on a body (4 MiB) leaves room for several.
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024

_LINES = {
    "class": "brokerweb.config.log.LineFormatter",
    "format": "{asctime} {levelname} {name}: {message}",
    "style": "{",
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    # One for each handler: it remembers what it has told.
    "formatters": {"terminal": _LINES, "file": _LINES},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "terminal", "level": "WARNING"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        # Whoever asked gets the answer; the server's log is for what the server did wrong.
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "ERROR"},
        # One line for each of thousands of tasks tells nobody anything.
        "celery": {"level": "WARNING"},
    },
}
