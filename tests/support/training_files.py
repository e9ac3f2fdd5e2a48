"""The scenario files that ship, and one that is small."""

from __future__ import annotations

from functools import cache

from engine.training.reading import read_scenario
from engine.training.scenario import Scenario
from tests.architecture.tidy import ROOT

FOLDER = ROOT / "brokerweb" / "training" / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))


@cache
def shipped(name: str) -> Scenario:
    file = FOLDER / f"{name}.yaml"
    scenario, faults = read_scenario(file.name, file.read_text("utf-8"))
    assert scenario is not None, "\n".join(map(str, faults))
    return scenario


SMALL = """\
id: small
level: beginner
skills: [routes]
minutes: 5
begins_at: 2026-01-05T08:00:00Z
title: {en: Small, fr: Petit, de: Klein}
brief: {en: Do it, fr: Faites-le, de: Tun Sie es}
estate:
  - instance: PARIS
    sql: |
      CREATE ENDPOINT E STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS);
      CREATE DATABASE Ventes;
      GO
      USE Ventes;
      GO
      CREATE QUEUE dbo.Q;
      CREATE SERVICE Guichet ON QUEUE dbo.Q ([DEFAULT]);
      CREATE SERVICE Retours ON QUEUE dbo.Q ([DEFAULT]);
      GRANT SEND ON SERVICE::Retours TO [public];
traffic:
  senders:
    - name: returns
      from: {instance: PARIS, database: Ventes, service: Guichet}
      to: Retours
      contract: DEFAULT
      message_type: DEFAULT
tasks:
  - id: second
    points: 10
    title: {en: Two queues, fr: Deux files, de: Zwei Warteschlangen}
    checks:
      - query: {instance: PARIS, database: Ventes, view: sys.service_queues, where: {name: R}, rows: 1}
hints:
  - {cost: 5, text: {en: A, fr: B, de: C}}
  - {cost: 10, text: {en: A, fr: B, de: C}}
  - {cost: 20, text: {en: A, fr: B, de: C}}
solution:
  - instance: PARIS
    database: Ventes
    sql: |
      CREATE QUEUE dbo.R;
wrong_turns:
  - text: {en: A, fr: B, de: C}
    steps: [{wait_seconds: 10}]
explanation: {en: A, fr: B, de: C}
"""
