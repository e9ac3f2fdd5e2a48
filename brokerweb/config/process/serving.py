"""Everything that runs in the process of `make run`, started in order and stopped in the opposite one."""

from __future__ import annotations

import logging
import logging.config
import signal
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError

from brokerweb.accounts.services import expired_logins_forget, login_link_create
from brokerweb.common.outbox.services import outbox_release_claims
from brokerweb.config.engine import embedded_engine, require_service_key
from brokerweb.config.env import CANNOT_OPEN, NO_DATABASE, ConfigurationError, unusable
from brokerweb.config.process.connections import connection_shortage
from brokerweb.config.process.descriptors import raise_descriptor_limit
from brokerweb.config.process.early_exit import SIGNALS, leave_at_once_on_signals
from brokerweb.config.process.first_run import local_administrator, prepare_first_run
from brokerweb.config.process.heap import share_heaps
from brokerweb.config.process.listening import listening_socket
from brokerweb.config.process.outbox_loop import OutboxLoop
from brokerweb.config.process.pulse import last_pulse
from brokerweb.jobs.services import jobs_release
from brokerweb.jobs.turns import jobs_stop
from engine.api import EmbeddedEngine, EngineUnavailable, sandboxes

logger = logging.getLogger(__name__)

LOG_BYTES_MAX = 5_000_000
LOGS_KEPT = 3
OUR_PACKAGES = ("brokerweb", "engine")
CLOSE_SECONDS_MAX = 2
"""How long a browser's request may go on after the server was told to stop."""


def serve(host: str, port: int, *, say: Callable[[str], None], record_address: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    `say` prints what a person at the terminal should read; `record_address` is told where the server listens.
    """
    raise_descriptor_limit()
    share_heaps()
    _log_to(settings.ENVIRONMENT.data_directory / "log" / "brokerweb.log")
    with ExitStack() as stack:
        listener = stack.enter_context(listening_socket(host, port))
        actual_port = listener.getsockname()[1]
        if port not in (0, actual_port):
            say(f"Port {port} is taken; the dashboard uses {actual_port} instead.")
        require_service_key()
        migrate()
        engine = embedded_engine()
        start_engine(engine)
        stack.callback(engine.stop)
        stack.callback(jobs_stop)
        if (since := last_pulse(settings.ENVIRONMENT.data_directory)) is not None:
            sandboxes.sandbox_keeper().stood_still(since)
        outbox_release_claims()
        jobs_release()
        expired_logins_forget()
        prepare_first_run()
        outbox = OutboxLoop()
        outbox.start()
        stack.callback(outbox.stop)
        address = f"http://{_host_in_address(host)}:{actual_port}"

        def ready() -> None:
            record_address(address)
            link = f"{address}/login/link/{login_link_create(local_administrator())}"
            minutes = settings.LOGIN_LINK_SECONDS // 60
            logger.info("Ready on %s.", address)
            say(f"brokerweb is ready. Open {link} (works once, within {minutes} minutes); Ctrl-C stops it.")

        _serve_http(listener, ready)
    logger.info("Stopped.")


def start_engine(engine: EmbeddedEngine) -> None:
    """Have the engine work; `ConfigurationError` when what it keeps cannot be used."""
    try:
        engine.start()
    except EngineUnavailable as error:
        raise ConfigurationError(
            f"The engine cannot start: {str(error).rstrip('.')}. Its files are in "
            f"{settings.ENVIRONMENT.engine_directory}; put them back from a backup.",
            CANNOT_OPEN,
        ) from error


def migrate() -> None:
    """Bring the dashboard's database up to date; `ConfigurationError` when it cannot be used.

    Warns of a PostgreSQL server that allows too few connections.
    """
    try:
        call_command("migrate", verbosity=0, interactive=False)
        if (shortage := connection_shortage()) is not None:
            logger.warning("%s", shortage)
    except OperationalError as error:
        raise ConfigurationError(
            f"The dashboard's database {settings.DATABASES['default']['NAME']} cannot be used: {str(error).strip()}. "
            "See that it can be reached and written, or name another in BROKERWEB_DATA or DATABASE_URL.",
            NO_DATABASE,
        ) from error


def _serve_http(listener: socket.socket, ready: Callable[[], None]) -> None:
    """Daphne on a socket that already listens, until a signal stops it."""
    # Importing the server installs Twisted's reactor, which no other command needs.
    from daphne.server import Server
    from twisted.internet import reactor

    from brokerweb.config.asgi import application

    def take_over_signals() -> None:
        # The server calls this when it listens, a little before its reactor runs: a signal in between must wait for it.
        # Later Twisted takes SIGTERM by itself, but SIGINT only from Python's own handler.
        for each in SIGNALS:
            signal.signal(each, lambda _number, _frame: reactor.callFromThread(reactor.stop))
        ready()

    server = Server(
        application=application,
        # Twisted copies the descriptor and closes the one it is given, so we let go of it.
        endpoints=[f"fd:fileno={listener.detach()}"],
        ready_callable=take_over_signals,
        application_close_timeout=CLOSE_SECONDS_MAX,
        server_name="brokerweb",
    )
    # Before the server waits for what it answers: a statement that waits in a sandbox would not end for half a minute.
    reactor.addSystemEventTrigger("before", "shutdown", sandboxes.let_sandboxes_go)
    server.run()
    # Who asks a second time, while the engine ends, does not want to wait.
    leave_at_once_on_signals()


def _host_in_address(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _log_to(path: Path) -> None:
    """A log that cannot fill the disk; warnings go to the terminal as well, by the settings.

    It becomes part of the settings: Celery's worker and the ASGI application set Django up again, and that takes
    every handler off the root logger which the settings do not name.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from error
    logging_settings = settings.LOGGING
    logging_settings["filters"] = {"worth_keeping": {"()": lambda: _is_worth_keeping}}
    logging_settings["handlers"]["file"] = {
        "class": "brokerweb.config.log.LogFile",
        "filename": path,
        "maxBytes": LOG_BYTES_MAX,
        "backupCount": LOGS_KEPT,
        "encoding": "utf-8",
        "formatter": "file",
        "filters": ["worth_keeping"],
    }
    logging_settings["root"]["handlers"] = ["stderr", "file"]
    logging.config.dictConfig(logging_settings)


def _is_worth_keeping(record: logging.LogRecord) -> bool:
    """Of other packages only what went wrong: their daily life would push ours out of a log of limited size."""
    return record.levelno >= logging.WARNING or record.name.split(".")[0] in OUR_PACKAGES
