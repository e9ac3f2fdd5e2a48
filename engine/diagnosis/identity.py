"""Checks of databases as brokers (SBD-201 to 204), and of services that nobody reaches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from engine.core.catalog.changes import BrokerSwitched, DatabaseStateSet
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.identity import active_owner_of
from engine.core.catalog.objects import Service
from engine.core.catalog.route import LocalAddress
from engine.core.vocabulary.identifiers import MSDB, InstanceName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.diagnosis.finding import Finding, InstanceFix, ObjectKind, Phrase
from engine.diagnosis.journeys import Stop
from engine.diagnosis.model import Home, database_subject, subject
from engine.diagnosis.repairs import fix
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding, phrase

_STATES = {
    DatabaseState.READ_ONLY: phrase("state_read_only"),
    DatabaseState.SINGLE_USER: phrase("state_single_user"),
    DatabaseState.OFFLINE: phrase("state_offline"),
}


def _taking_part(survey: Survey) -> Iterator[tuple[Home, DatabaseCatalog]]:
    """Databases with services: ends of conversations."""
    for home, database in survey.model.user_databases():
        if database.services and home.database != MSDB:
            yield home, database


def broker_off(survey: Survey) -> Iterator[Finding]:
    """SBD-201: a database with services whose broker is off, and which is no copy beside an active original."""
    for home, database in _taking_part(survey):
        if database.is_broker_enabled or database.state is DatabaseState.MIRROR:
            continue
        twins = [each for each in survey.model.owner_of(database.broker_instance) if each != home]
        if any(survey.model.database(each).is_broker_enabled for each in twins):
            continue
        yield finding(
            "SBD-201",
            database_subject(home),
            fix=_switched_on(survey, home),
            database=home,
            services=tuple(list(database.services)[:5]),
        )


def _switched_on(survey: Survey, home: Home) -> tuple[InstanceFix, ...]:
    """Enabling is refused beside an active twin (9772) and during mirroring (1468)."""
    catalog = survey.model.catalogs[home.instance]
    database = catalog.databases[home.database]
    rival = active_owner_of(catalog, database.broker_instance, other_than=home.database)
    if rival is not None or database.partner_address is not None:
        return ()
    return fix(home, BrokerSwitched(database=home.database, is_enabled=True))


def msdb_closed(survey: Survey) -> Iterator[Finding]:
    """SBD-202: nothing that arrives can be routed (routing.md 2)."""
    for instance in survey.networked:
        home = Home(instance, MSDB)
        msdb = survey.model.catalogs[instance].databases.get(MSDB)
        if msdb is None or (msdb.is_broker_enabled and msdb.state is DatabaseState.ONLINE):
            continue
        if msdb.is_broker_enabled:
            said: Phrase | str = _STATES.get(msdb.state, str(msdb.state))
            mended = fix(home, DatabaseStateSet(database=MSDB, state=DatabaseState.ONLINE))
        else:
            said, mended = phrase("state_broker_off"), _msdb_on(survey, home, msdb)
        yield finding("SBD-202", database_subject(home), fix=mended, instance=instance, state=said)


def _msdb_on(survey: Survey, home: Home, msdb: DatabaseCatalog) -> tuple[InstanceFix, ...]:
    on = _switched_on(survey, home)
    if not on or msdb.state is DatabaseState.ONLINE:
        return on
    return fix(home, DatabaseStateSet(database=MSDB, state=DatabaseState.ONLINE), *on[0].changes)


def same_id(survey: Survey) -> Iterator[Finding]:
    """SBD-203: two active brokers with one id; messages and answers go to the wrong one (identity.md 5)."""
    for homes in survey.model.owners.values():
        databases = [(home, survey.model.database(home)) for home in homes]
        # What a state keeps from delivering for now counts as active: it is not the state that tells them apart.
        active = [home for home, each in databases if each.is_broker_enabled and each.state is not DatabaseState.MIRROR]
        if len(active) < 2:
            continue
        yield finding(
            "SBD-203",
            database_subject(active[0]),
            further=tuple(map(database_subject, active[1:])),
            about=", ".join(sorted(map(str, active))),
            broker=survey.model.database(active[0]).broker_instance,
            databases=tuple(active),
        )


def closed(survey: Survey) -> Iterator[Finding]:
    """SBD-204: a database with services that cannot be written to."""
    for home, database in _taking_part(survey):
        if database.state is DatabaseState.MIRROR:
            owners = survey.model.owner_of(database.broker_instance)
            if all(survey.model.database(each).state is DatabaseState.MIRROR for each in owners):
                yield finding("SBD-204/copy", database_subject(home), database=home, partner=database.partner_address)
        elif database.state is not DatabaseState.ONLINE:
            yield finding(
                "SBD-204",
                database_subject(home),
                fix=fix(home, DatabaseStateSet(database=home.database, state=DatabaseState.ONLINE)),
                database=home,
                state=_STATES[database.state],
            )


# --- services without way --------------------------------------------------------------------------------------------


def unreached(survey: Survey) -> Iterator[Finding]:
    """SBD-101, seen from the target: a service that takes conversations, and nobody who could begin one.

    A service of a database that has others may serve those, and so may one whose instance has services that list no
    contract: they exist to begin conversations, as the service of a database does that begins some itself. Of the rest
    somebody must name it, or reach it by a catch-all route.
    """
    if len(survey.model.catalogs) < 2:
        return
    named = {
        route.service_name
        for home, route in survey.model.routes()
        if not (home.database == MSDB and isinstance(route.address, LocalAddress))
    }
    named |= {intent.service for intent in survey.intents} | {intent.meant for intent in survey.intents}
    initiators = {pair.initiator for pair in survey.pairs if pair.is_dialog}
    begins = cache(lambda instance: _begins(survey, instance))
    for home, database in _taking_part(survey):
        if len(database.services) > 1 or home in initiators or begins(home.instance):
            continue
        for service in database.services.values():
            if service.contracts and service.name not in named and not _is_caught(survey, home, service):
                yield finding(
                    "SBD-101/unreached",
                    subject(home, ObjectKind.SERVICE, service.name),
                    about=service.name,
                    service=service.name,
                    home=home,
                )


def _begins(survey: Survey, instance: InstanceName) -> bool:
    """Whether a service of the instance lists no contract."""
    databases = survey.model.catalogs[instance].databases.values()
    return any(not service.contracts for database in databases for service in database.services.values())


def _is_caught(survey: Survey, home: Home, service: Service) -> bool:
    """Whether a database of another instance reaches it although it does not name it."""
    target = DialogTarget(ServiceName(service.name))
    return any(
        each.stop is Stop.DELIVERED and each.home == home
        for elsewhere, _ in _onward(survey)
        if elsewhere.instance != home.instance
        for each in survey.traveller.journeys(elsewhere, target)
    )


def _onward(survey: Survey) -> Iterator[tuple[Home, DatabaseCatalog]]:
    """Databases with services and a catch-all route that leaves the instance."""
    for home, database in _taking_part(survey):
        if any(
            route.service_name is None and not isinstance(route.address, LocalAddress)
            for route in database.routes.values()
        ):
            yield home, database
