"""Sandboxes of the sample, four instances with a forwarder: how fast their time passes, 50 at once, after a restart.

SANDBOXES=50 of them are kept at once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from engine.core.exchange import pictures
from engine.core.vocabulary.identifiers import InstanceName
from engine.hosting.errors import SandboxRestoring
from engine.hosting.sandboxes.entry_log import MemoryEntryLog
from engine.hosting.sandboxes.keeper import SandboxKeeper
from engine.sandbox import ClockSet, NamedTraffic, Sandbox, SandboxSpec, TrafficPair, TrafficPlan
from tests.benchmarks.measure import in_turns
from tests.support.diagnosed_estates import NOW, sample_estate

SANDBOXES = int(os.environ.get("SANDBOXES") or 50)
MESSAGES = 1_000
SPAN_SECONDS = 600.0
"""What passes in one second on the wall at the fastest."""
HOUR = 3_600.0
EXERCISE_EVERY_SECONDS = 10.0
"""How often each pair of an exercise sends, as in the scenarios that are shipped."""

_ORDERS, _RETURNS = "//exemple.fr/Commandes/", "//exemple.fr/Retours/"
_STORE, _BOOKS = "//beispiel.de/Lager/", "//beispiel.de/Buchhaltung/"
_SHOP = ("PARIS", "Ventes", "//exemple.fr/Ventes/Guichet")
_WAREHOUSE = ("LYON", "Entrepôt", _ORDERS + "Réception")
_FLOWS = (
    (_SHOP, _ORDERS + "Réception", _ORDERS, "Contrat", "Commande"),
    (_SHOP, _STORE + "Größenprüfung", _STORE, "Prüfvertrag", "Prüfauftrag"),
    (_SHOP, _BOOKS + "Rechnungen", _BOOKS, "Vertrag", "Rechnung"),
    (_WAREHOUSE, "//exemple.fr/Ventes/Retours", _RETURNS, "Contrat", "Avis"),
)
PAIRS = tuple(
    TrafficPair(
        from_instance=instance,
        from_database=database,
        from_service=service,
        to_service=to_service,
        contract=prefix + contract,
        message_type=prefix + message_type,
    )
    for (instance, database, service), to_service, prefix, contract, message_type in _FLOWS
)
BUSY = TrafficPlan(pairs=PAIRS, rate=MESSAGES / SPAN_SECONDS / len(PAIRS))
EXERCISE = TrafficPlan(pairs=PAIRS, rate=1 / EXERCISE_EVERY_SECONDS, dialog_messages=1)

Show = Callable[[str, list[list[str]]], None]


def spec(plan: TrafficPlan, seed: int = 1) -> SandboxSpec:
    traffic = (NamedTraffic(name="scenario", plan=plan),)
    return SandboxSpec(seed=seed, begins_at=NOW, instances=tuple(sample_estate().values()), traffic=traffic)


def received(sandbox: Sandbox) -> int:
    return sum(pair.received for pair in sandbox.traffic()["scenario"])


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_time_of_a_sandbox(show: Show) -> None:
    """How much of its time one core lets pass in a second; at ×600 the clock holds with 600 and more."""

    def passing(plan: TrafficPlan, seconds: float, messages: int) -> Callable[[], int]:
        what = spec(plan)

        def run() -> int:
            sandbox = Sandbox(what)
            sandbox.advance(seconds + 5.0)
            assert received(sandbox) >= messages, "the messages have arrived"
            return 1

        return run

    worlds = {
        f"{MESSAGES:,} messages in ten minutes": (BUSY, SPAN_SECONDS, MESSAGES - len(PAIRS)),
        "an exercise, one message a flow in 10 s": (EXERCISE, HOUR, int(HOUR * 0.4) - len(PAIRS)),
    }
    figures = in_turns({name: passing(*each) for name, each in worlds.items()}, rounds=5, clock=time.process_time)
    rows = [["four instances", "sandbox seconds a processor second", "slowest round", "processor seconds"]]
    for name, (_, seconds, _) in worlds.items():
        figure = figures[name]
        rows.append(
            [name, f"{seconds / figure.median:,.0f}", f"{seconds / figure.slowest:,.0f}", f"{figure.median:.2f}"]
        )
    show("time of one sandbox", rows)


def test_replay_of_an_hour(show: Show) -> None:
    """A log of an hour with a line every ten seconds, read in another process."""
    what = spec(EXERCISE)
    sandbox, log = Sandbox(what), []
    for number in range(int(HOUR / 10)):
        sandbox.advance(10.0 * number)
        log.append(sandbox.entry(ClockSet(wall_seconds=float(number), rate=1.0)))
        sandbox.perform(log[-1].action)
    sandbox.advance(HOUR)

    def read_again() -> int:
        again = Sandbox(what)
        again.replay(log)
        again.advance(HOUR)
        assert received(again) == received(sandbox)
        return 1

    figure = in_turns({"replay": read_again}, rounds=5, clock=time.process_time)["replay"]
    show(
        "replay",
        [["an hour of an exercise", "seconds", "slowest"], ["", f"{figure.median:.2f}", f"{figure.slowest:.2f}"]],
    )


def test_many_sandboxes(show: Show) -> None:
    """All of them at once, by a keeper, with one look a second at each: processor seconds a second, and memory."""
    wall = [0.0]
    log = MemoryEntryLog()
    names = [f"~{number}" for number in range(SANDBOXES)]
    for number, name in enumerate(names):
        log.open(name, spec(EXERCISE, seed=number))
    keeper = SandboxKeeper(log, lambda: wall[0], replicas_max=SANDBOXES)
    rows = [[f"{SANDBOXES} at once", "processor seconds a second", "longest look, ms"]]
    before = resident_bytes()
    for rate in (1.0, 10.0, 60.0):
        for name in names:
            keeper.set_rate(name, rate)
        worked, longest, seconds = 0.0, 0.0, 10
        for _ in range(seconds):
            wall[0] += 1.0
            for name in names:
                start = time.process_time()
                keeper.look(name, look)
                took = time.process_time() - start
                worked, longest = worked + took, max(longest, took)
        rows.append([f"×{rate:g}", f"{worked / seconds:.2f}", f"{longest * 1000:.0f}"])
    held = (resident_bytes() - before) / SANDBOXES
    show("many sandboxes", rows)
    passed = {name: caught_up(keeper, name) for name in names}
    show("memory", [["each, after", "KiB"], [f"{passed[names[0]]:,.0f} s", f"{held / 1024:,.0f}"]])
    again = SandboxKeeper(log, lambda: wall[0], replicas_max=SANDBOXES)
    show("after a restart", [["restored", "processor seconds", "asked", "longest, ms"], restored(again, passed)])


def caught_up(keeper: SandboxKeeper, name: str) -> float:
    """The second of a sandbox once it is not behind its clock."""
    while True:
        seconds, behind = keeper.look(name, lambda sandbox: (sandbox.seconds, sandbox.behind_seconds))
        if behind == 0.0:
            return float(seconds)


def restored(keeper: SandboxKeeper, passed: dict[str, float]) -> list[str]:
    """Every one of them as it was, asked for one after another by a process that has none."""
    worked, longest, asked = 0.0, 0.0, 0
    waiting = list(passed)
    while waiting:
        name = waiting.pop(0)
        start = time.process_time()
        try:
            seconds, behind = keeper.look(name, lambda sandbox: (sandbox.seconds, sandbox.behind_seconds))
        except SandboxRestoring:
            waiting.append(name)
        else:
            # Its log is done; where the clock has gone on since, a look lets so much time pass and no more.
            if behind > 0.0:
                waiting.append(name)
            else:
                assert seconds == passed[name]
        took = time.process_time() - start
        worked, longest, asked = worked + took, max(longest, took), asked + 1
    return [f"{len(passed)}", f"{worked:.1f}", f"{asked}", f"{longest * 1000:.0f}"]


def look(sandbox: Sandbox) -> None:
    """What a page with a map of all instances asks."""
    for name in sandbox.instances():
        sandbox.pictures(InstanceName(name), [pictures.SummaryQuery(), pictures.QueuesQuery()])
