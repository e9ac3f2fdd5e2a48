"""Scripts of estates of any size, the same for the same size."""

from __future__ import annotations

from collections.abc import Iterator

DATABASES = 8
"""Of an instance, besides msdb."""
BOXES = DATABASES + 2
"""What an unfolded instance is drawn with: its card and its databases, msdb among them."""
ROUTES_OF_TEN_DATABASES = 3
"""As in the budget's own measurement: 306 lines for 1,000 nodes."""


def script(instances: int) -> str:
    """T-SQL of that many instances, each with `DATABASES` databases and a service in each of them."""
    return "\n".join(line for number in range(instances) for line in _instance(number, instances))


def _instance(number: int, instances: int) -> Iterator[str]:
    yield f":CONNECT SRV{number:04}"
    yield "CREATE ENDPOINT Broker STATE = STARTED AS TCP (LISTENER_PORT = 4022)"
    yield "    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED);"
    yield "GO"
    for each in range(DATABASES):
        yield f"CREATE DATABASE Base{each:02};"
        yield "GO"
        yield f"USE Base{each:02};"
        yield "GO"
        yield f"CREATE QUEUE File{each:02};"
        yield f"CREATE SERVICE [//exemple.fr/SRV{number:04}/Base{each:02}] ON QUEUE File{each:02};"
        if (number * DATABASES + each) % 10 < ROUTES_OF_TEN_DATABASES:
            # Nearby servers talk to each other, a few talk to the first one: groups, and a hub.
            target = 0 if each == 0 else (number * 7 + each * 3 + 1) % instances
            yield f"CREATE ROUTE [vers {target:04}] WITH SERVICE_NAME = N'//exemple.fr/SRV{target:04}/Base{each:02}',"
            yield f"    ADDRESS = N'TCP://srv{target:04}:4022';"
        yield "GO"
