"""Compose files without Docker: the processes that they describe, with the same commands and environment, run natively.

What a container would add is substituted: a volume is a folder of the test, an image of somebody else's server is that
server on a free port. Commands, environment, order, health checks and the way to stop are read from the files.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
HEALTHY_SECONDS_MAX = 60.0
STOP_SECONDS_MAX = 20.0
PASSWORDS = dict.fromkeys(("POSTGRES_PASSWORD", "REDIS_PASSWORD", "RABBITMQ_PASSWORD"), "geheim")
"""What has to be chosen."""
_VARIABLE = re.compile(r"\$\{(\w+)(?:(:-|:\?)([^}]*))?\}")


def read_compose(names: Iterable[str], variables: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The services of compose files put on top of each other, with their variables filled in.

    `KeyError` for a variable that must be given and is not.
    """
    services: dict[str, dict[str, Any]] = {}
    for name in names:
        found = yaml.safe_load((DOCKER / name).read_text("utf-8"))["services"]
        for service, description in _filled(found, variables).items():
            services[service] = _merged(services.get(service, {}), description)
    return services


def _filled(value: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: _value(found, variables), value).replace("$$", "$")
    if isinstance(value, dict):
        return {key: _filled(each, variables) for key, each in value.items()}
    return [_filled(each, variables) for each in value] if isinstance(value, list) else value


def _value(found: re.Match[str], variables: Mapping[str, str]) -> str:
    name, how, default = found.groups()
    if variables.get(name):
        return variables[name]
    if how == ":-":
        return str(default)
    raise KeyError(f"{name}: {default}")


def _merged(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    both = {key: _merged(lower[key], each) for key, each in upper.items() if isinstance(lower.get(key), dict)}
    return {**lower, **upper, **both}


class Image:
    """What a stage of the Dockerfile says of its containers."""

    def __init__(self, target: str) -> None:
        text = (DOCKER / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
        stages = re.split(r"^FROM ", text, flags=re.MULTILINE)[1:]
        named = {re.match(r"\S+ AS (\S+)", stage)[1]: stage for stage in stages}  # type: ignore[index]
        self.entrypoint = _list_of("ENTRYPOINT", named[target])
        self.command = _list_of("CMD", named[target])
        [setting] = [line for line in named["python-base"].splitlines() if line.startswith("ENV ")]
        self.environment = dict(pair.split("=", 1) for pair in setting.split()[1:])


def _list_of(word: str, stage: str) -> list[str]:
    found = re.search(rf"^{word} (\[.*\])$", stage, flags=re.MULTILINE)
    return list(json.loads(found[1])) if found else []


class Composition:
    """Our services of a composition, from `start` to `stop`. Others' servers are there already."""

    def __init__(self, services: dict[str, dict[str, Any]], folder: Path) -> None:
        self._services = {name: each for name, each in services.items() if "build" in each}
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start all in the order of what they depend on; returns when all of them are healthy."""
        waiting = dict(self._services)
        while waiting:
            ready = [name for name, each in waiting.items() if not set(each.get("depends_on", ())) & waiting.keys()]
            assert ready, f"these wait for each other: {sorted(waiting)}"
            for name in ready:
                self._begin(name, waiting.pop(name))

        # All at once: each check is a program that first imports the product.
        tests = {name: each["healthcheck"]["test"] for name, each in self._services.items() if "healthcheck" in each}
        with ThreadPoolExecutor(max_workers=len(self._services)) as waiters:
            list(waiters.map(self._await_health, tests, tests.values()))

    def _begin(self, name: str, service: dict[str, Any]) -> None:
        for other, how in service.get("depends_on", {}).items():
            # Whoever came first has waited for it.
            if how["condition"] == "service_completed_successfully" and other in self._processes:
                assert self._processes.pop(other).wait(HEALTHY_SECONDS_MAX) == 0, self.log(other)
        image = Image(service["build"]["target"])
        command = [*service.get("entrypoint", image.entrypoint), *(service.get("command") or image.command)]
        with self._log(name).open("wb") as log:
            self._processes[name] = subprocess.Popen(
                self._native(command), cwd=ROOT, env=self.environment(name), stdout=log, stderr=subprocess.STDOUT
            )

    def _await_health(self, name: str, test: list[str]) -> None:
        assert test[0] == "CMD", test
        deadline = time.monotonic() + HEALTHY_SECONDS_MAX
        while self.run(name, *test[1:]).returncode != 0:
            assert self._processes[name].poll() is None, f"{name} has ended: {self.log(name)}"
            assert time.monotonic() < deadline, f"{name} is not healthy: {self.log(name)}"
            time.sleep(0.1)

    def stop(self) -> dict[str, int]:
        """Stop what runs as the files say; exit codes by service."""
        for name, process in self._processes.items():
            process.send_signal(signal.Signals[self._services[name].get("stop_signal", "SIGTERM")])
        return {name: process.wait(STOP_SECONDS_MAX) for name, process in self._processes.items()}

    def kill(self) -> None:
        """End what is left after a failure."""
        for process in self._processes.values():
            if process.poll() is None:
                process.kill()
                process.wait(STOP_SECONDS_MAX)

    def run(self, name: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command as `docker compose exec` would."""
        return subprocess.run(
            self._native(command),
            cwd=ROOT,
            env=self.environment(name),
            capture_output=True,
            text=True,
            timeout=HEALTHY_SECONDS_MAX,
            check=False,
        )

    def running(self) -> list[str]:
        """Services whose process runs."""
        return sorted(name for name, process in self._processes.items() if process.poll() is None)

    def environment(self, name: str) -> dict[str, str]:
        """The environment of a service, and what its image has beside it: programs."""
        service = self._services[name]
        told = {**Image(service["build"]["target"]).environment, **service.get("environment", {})}
        programs = (str(DOCKER / "entrypoints"), str(Path(sys.executable).parent), os.environ["PATH"])
        return {
            "PATH": os.pathsep.join(programs),
            "HOME": str(self._folder),
            **dict(zip(told, self._native(told.values()), strict=True)),
        }

    def _native(self, words: Iterable[str]) -> list[str]:
        """Paths in the volume are paths in the test's folder."""
        return [re.sub(r"^/data(?=/|$)", str(self._folder / "data"), word) for word in words]

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def log(self, name: str) -> str:
        """What a service has said."""
        return self._log(name).read_text("utf-8", errors="replace")
