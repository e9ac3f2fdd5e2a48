"""`ask`: one question, answered with its proof. What everybody outside uses stands in `asking`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.faults import NOT_HERE, Fault
from engine.whatif.legs import Trip
from engine.whatif.narrating import Narrator
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion, ToldAnswer

NO_DATABASE: Final = 911

Catalogs = Mapping[InstanceName, InstanceCatalog]


def ask(
    catalogs: Catalogs, question: FlowQuestion, *, at: UtcTime, faults: Iterable[Fault] = (), language: str = "en"
) -> ToldAnswer:
    """Where the message of a question goes, and what comes back: four legs, each hop with its proof.

    Raises `CatalogError` 911 for a database and 15151 for an instance, service, queue or endpoint that is not there.
    Numbers and proofs are worded in `language`.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    asked = spelled(given, question)
    snapshot = Snapshot(given, at=at, faults=faults, explain=True)
    trip = Trip(snapshot, asked)
    return Narrator(snapshot, asked, language, trip.speech).told(trip.legs())


def spelled(catalogs: Catalogs, question: FlowQuestion) -> FlowQuestion:
    """The question with the database as it is spelled; refuses one that is asked of nobody."""
    instance = catalogs.get(question.instance)
    if instance is None:
        raise CatalogError(NOT_HERE, value="instance", name=question.instance, database="the estate")
    database = spelling_in(instance.databases, question.database)
    if database is None:
        raise CatalogError(NO_DATABASE, database=question.database)
    if question.service not in instance.databases[database].services:
        raise CatalogError(NOT_HERE, value="service", name=question.service, database=database)
    return msgspec.structs.replace(question, database=database)
