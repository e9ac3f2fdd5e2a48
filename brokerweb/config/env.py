"""The environment, read once at the edge into one frozen value.

Nothing below this module knows the name of a variable: settings and services receive values
(docs/operations/configuration.md lists the variables).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path

import msgspec

REPOSITORY = Path(__file__).resolve().parent.parent.parent
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
LOGIN_LINK_SECONDS_DEFAULT = 3600
FRAGMENT_BYTES_DEFAULT = 64 * 1024
FRAGMENT_BYTES_RANGE = range(1024, 4 * 1024 * 1024 + 1)
"""What the engine allows; it is not imported here, where nothing is set up yet. A test compares."""
OBJECT_BYTES_KEPT_DEFAULT = 256 * 1024 * 1024
EVENTS_KEPT_DEFAULT = 1_000_000
TRAINING_RUNS_MAX_DEFAULT = 200
LAKE_EXPORT_SECONDS_DEFAULT = 300
DATABASE_CONNECTIONS_DEFAULT = 20
DATABASE_CONNECTIONS_MIN = 4
TRACE_BYTES_DEFAULT = 64 * 1024 * 1024
SPARK_MASTER_DEFAULT = "local[*]"
METRICS_HOST_DEFAULT = "127.0.0.1"
METRICS_TOKEN_LENGTH_MIN = 16
SERVICE_KEY_BYTES = 32
SECRET_KEY_LENGTH_MIN = 50
SECRET_KEY_LETTERS_MIN = 10
"""Different ones: a key of one letter is no secret, however long."""
PORT_MAX = 65535

Network = IPv4Network | IPv6Network


UNUSABLE_VALUE, CANNOT_OPEN, CANNOT_CREATE, NO_DATABASE, IN_RESTORE, LATER_VERSION = 153, 5120, 5123, 4060, 927, 948
"""Numbers of the vendor: a value that cannot be used, a file that cannot be opened or made, a database that is out of
reach, being restored, or of a later version."""


class ConfigurationError(Exception):
    """The environment does not say what is needed, or says it wrongly. A number, and a sentence for a person."""

    def __init__(self, text: str, number: int = UNUSABLE_VALUE) -> None:
        super().__init__(f"{number}: {text}")
        self.number = number


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """What the surroundings decide. None in an address selects the built-in that needs no server."""

    data_directory: Path
    """Database, engine stores, logs and the generated key; made when missing."""
    secret_key: str | None = None
    allowed_hosts: tuple[str, ...] = LOCAL_HOSTS
    trusted_origins: tuple[str, ...] = ()
    """Origins (`https://host`) from which forms are accepted behind a proxy that ends TLS."""
    trusted_proxies: tuple[Network, ...] = ()
    """Addresses of proxies whose X-Forwarded-For is believed."""
    database_url: str | None = None
    database_connections: int = DATABASE_CONNECTIONS_DEFAULT
    """Connections to a PostgreSQL `database_url` that each process has at most, those of leases apart."""
    celery_broker_url: str | None = None
    celery_result_url: str | None = None
    channel_redis_url: str | None = None
    engine_store_url: str | None = None
    """PostgreSQL database of the engine's stores; None keeps them as files in the data directory."""
    service_key: str | None = None
    """What protects the keys in the engine's stores, 32 bytes in base64; None keeps it in the data directory."""
    reader_modules: tuple[str, ...] = ()
    """Modules that register readers, which workers import."""
    login_link_seconds: int = LOGIN_LINK_SECONDS_DEFAULT
    fragment_bytes: int = FRAGMENT_BYTES_DEFAULT
    """Bytes of a message body that travel as one fragment between instances."""
    object_bytes_kept: int = OBJECT_BYTES_KEPT_DEFAULT
    """Bytes of memory that an instance keeps for conversations at rest."""
    events_kept: int = EVENTS_KEPT_DEFAULT
    """Events that each instance keeps in its log."""
    training_runs_max: int = TRAINING_RUNS_MAX_DEFAULT
    """Runs of the operator training that may be under way at once."""
    lake_export_seconds: int = LAKE_EXPORT_SECONDS_DEFAULT
    """How often the events of all instances are exported into the lake; 0 is never."""
    trace_bytes: int = TRACE_BYTES_DEFAULT
    """Bytes of a trace that the page takes at once."""
    spark_master: str = SPARK_MASTER_DEFAULT
    """Where jobs over the lake run: this machine, or the address of a cluster."""
    metrics_token: str | None = None
    """What a program shows that reads metrics; None lets programs of this machine read them."""
    metrics_port: int | None = None
    """Port on which a worker tells of its instances; None tells nobody."""
    metrics_host: str = METRICS_HOST_DEFAULT
    is_debug: bool = False

    @property
    def engine_directory(self) -> Path:
        """Where the engine keeps its stores."""
        return self.data_directory / "engine"


def read_environment(variables: Mapping[str, str]) -> Environment:
    """The environment that `variables` describe; raises `ConfigurationError` for a value that makes no sense."""
    broker_url = variables.get("CELERY_BROKER_URL") or None
    return Environment(
        data_directory=_directory(variables.get("BROKERWEB_DATA")),
        secret_key=variables.get("SECRET_KEY") or None,
        allowed_hosts=_list(variables, "ALLOWED_HOSTS") or LOCAL_HOSTS,
        trusted_origins=_list(variables, "TRUSTED_ORIGINS"),
        trusted_proxies=_networks(variables, "TRUSTED_PROXIES"),
        database_url=variables.get("DATABASE_URL") or None,
        database_connections=_database_connections(variables),
        celery_broker_url=broker_url,
        celery_result_url=variables.get("CELERY_RESULT_URL") or None,
        channel_redis_url=variables.get("CHANNEL_REDIS_URL") or None,
        engine_store_url=_postgres_url(variables, "ENGINE_STORE_URL"),
        service_key=_service_key(variables),
        reader_modules=_list(variables, "READER_MODULES"),
        login_link_seconds=_positive(variables, "LOGIN_LINK_SECONDS", LOGIN_LINK_SECONDS_DEFAULT),
        fragment_bytes=_fragment_bytes(variables),
        object_bytes_kept=_positive(variables, "OBJECT_BYTES_KEPT", OBJECT_BYTES_KEPT_DEFAULT),
        events_kept=_positive(variables, "EVENTS_KEPT", EVENTS_KEPT_DEFAULT),
        training_runs_max=_positive(variables, "TRAINING_RUNS_MAX", TRAINING_RUNS_MAX_DEFAULT),
        lake_export_seconds=_seconds(variables, "BROKERWEB_LAKE_EXPORT_SECONDS", LAKE_EXPORT_SECONDS_DEFAULT),
        trace_bytes=_positive(variables, "BROKERWEB_TRACE_BYTES", TRACE_BYTES_DEFAULT),
        spark_master=variables.get("BROKERWEB_SPARK_MASTER") or SPARK_MASTER_DEFAULT,
        metrics_token=_metrics_token(variables),
        metrics_port=_port(variables, "METRICS_PORT"),
        metrics_host=_metrics_host(variables),
        is_debug=_flag(variables, "DEBUG"),
    )


def unusable(path: Path | str | None, reason: str) -> ConfigurationError:
    """The error for a part of the data directory in which nothing can be kept."""
    return ConfigurationError(
        f"brokerweb cannot keep its data in {path}: {reason.rstrip('.')}. "
        "Set BROKERWEB_DATA to a folder that this user may write, or leave it unset for .data in the repository.",
        CANNOT_CREATE,
    )


def weakness(secret_key: str) -> str | None:
    """Why a key could be found by trying; None for a good one."""
    if len(secret_key) < SECRET_KEY_LENGTH_MIN:
        return f"it has {len(secret_key)} characters"
    if len(set(secret_key)) < SECRET_KEY_LETTERS_MIN:
        return f"it has {len(set(secret_key))} different characters"
    return None


def _directory(text: str | None) -> Path:
    try:
        return Path(text or REPOSITORY / ".data").expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise unusable(text, str(error)) from error


def _list(variables: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in variables.get(name, "").split(",") if part.strip())


def _networks(variables: Mapping[str, str], name: str) -> tuple[Network, ...]:
    try:
        networks = tuple(ip_network(text) for text in _list(variables, name))
    except ValueError as error:
        raise ConfigurationError(
            f"{name} takes addresses and networks separated by commas, such as 10.0.0.5 or 10.1.0.0/16: {error}."
        ) from error
    if any(each.prefixlen == 0 for each in networks):
        raise ConfigurationError(f"{name} would trust every address there is: name those of your proxies.")
    return networks


def _positive(variables: Mapping[str, str], name: str, default: int) -> int:
    text = variables.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdecimal() or int(text) == 0:
        raise ConfigurationError(f"{name} is {text!r}; it takes a whole number above 0.")
    return int(text)


def _seconds(variables: Mapping[str, str], name: str, default: int) -> int:
    """0 is never."""
    return 0 if variables.get(name) == "0" else _positive(variables, name, default)


def _fragment_bytes(variables: Mapping[str, str]) -> int:
    size = _positive(variables, "FRAGMENT_BYTES", FRAGMENT_BYTES_DEFAULT)
    if size not in FRAGMENT_BYTES_RANGE:
        limits = f"{FRAGMENT_BYTES_RANGE.start} to {FRAGMENT_BYTES_RANGE.stop - 1}"
        raise ConfigurationError(f"FRAGMENT_BYTES is {size}; it takes {limits} bytes.")
    return size


def _database_connections(variables: Mapping[str, str]) -> int:
    count = _positive(variables, "DATABASE_CONNECTIONS", DATABASE_CONNECTIONS_DEFAULT)
    if count < DATABASE_CONNECTIONS_MIN:
        raise ConfigurationError(f"DATABASE_CONNECTIONS is {count}; it takes {DATABASE_CONNECTIONS_MIN} or more.")
    return count


def _port(variables: Mapping[str, str], name: str) -> int | None:
    if not variables.get(name):
        return None
    port = _positive(variables, name, 0)
    if port > PORT_MAX:
        raise ConfigurationError(f"{name} is {port}; a port is at most {PORT_MAX}.")
    return port


def _metrics_token(variables: Mapping[str, str]) -> str | None:
    token = variables.get("METRICS_TOKEN") or None
    if token is not None and len(token) < METRICS_TOKEN_LENGTH_MIN:
        raise ConfigurationError(
            f"METRICS_TOKEN has {len(token)} characters; it takes {METRICS_TOKEN_LENGTH_MIN} or more, made by chance."
        )
    return token


def _metrics_host(variables: Mapping[str, str]) -> str:
    """Where a worker tells of its instances: on this machine only, unless whoever asks has to show a token."""
    host = variables.get("METRICS_HOST") or METRICS_HOST_DEFAULT
    try:
        is_local = ip_address(host).is_loopback
    except ValueError as error:
        raise ConfigurationError(f"METRICS_HOST is {host!r}; it takes an address such as 127.0.0.1.") from error
    if not is_local and not variables.get("METRICS_TOKEN"):
        raise ConfigurationError(
            f"METRICS_HOST is {host}, which other machines reach: set METRICS_TOKEN, which they then have to show."
        )
    return host


def _postgres_url(variables: Mapping[str, str], name: str) -> str | None:
    url = variables.get(name) or None
    if url is not None and not url.startswith(("postgres://", "postgresql://")):
        # Not repeated here: there may be a password in it.
        raise ConfigurationError(f"{name} is no address of a PostgreSQL database, postgres://user@host/name.")
    return url


def _service_key(variables: Mapping[str, str]) -> str | None:
    text = variables.get("SERVICE_KEY") or None
    try:
        size = None if text is None else len(base64.b64decode(text.strip(), validate=True))
    except ValueError:
        size = 0
    if size not in (None, SERVICE_KEY_BYTES):
        # Not repeated here: it is a secret, or nearly one.
        raise ConfigurationError(f"SERVICE_KEY is no key: it takes {SERVICE_KEY_BYTES} bytes in base64.")
    return text


def _flag(variables: Mapping[str, str], name: str) -> bool:
    text = variables.get(name, "").lower()
    if text not in ("", "0", "1", "false", "true", "no", "yes"):
        raise ConfigurationError(f"{name} is {text!r}; it takes 1 or 0.")
    return text in ("1", "true", "yes")
