"""Keys, certificates and bindings of a world with secured dialogs (protocol.md 9).

Keys are made once in each process, of chance: what they protect is as long under any other key, so a seed takes the
same course. Only bytes that nobody can read differ, and with them the hash of the journal.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.security import DBO, Certificate, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateCreated,
    MasterKeyCreated,
    RemoteServiceBindingCreated,
    UserCreated,
)
from engine.core.vocabulary.dialog_security import SealedKey, SecurityKind
from engine.core.vocabulary.identifiers import CertificateName, InstanceName, RemoteServiceBindingName, UserName
from engine.core.vocabulary.moment import UtcTime
from engine.security.vault import Vault
from engine.sim.clock import EPOCH
from engine.sim.scenario import Flow, Place, Scenario

VAULT: Final = Vault(bytes(range(32)))
"""Of every instance: a database that moves finds its keys where it comes to be."""
YEAR_SECONDS: Final = 365 * 86_400.0
SERIAL_DIGITS: Final = 40
"""Certificates travel by name: names of one length make messages of one length."""


def security_changes(scenario: Scenario, instance: InstanceName) -> list[CatalogChange]:
    """What the databases of an instance need for the secured flows of a scenario."""
    changes: list[CatalogChange] = []
    for place in scenario.homes():
        if place[0] == instance:
            changes += _of_database(scenario, place)
    return changes


def _of_database(scenario: Scenario, place: Place) -> list[CatalogChange]:
    """Its own certificate, those of everybody it talks to, and a binding for each service that it secures."""
    home = scenario.homes()[place]
    peers: dict[Place, None] = {}
    bindings: dict[RemoteServiceBinding, None] = {}
    for flow in scenario.flows:
        if flow.security is SecurityKind.NONE:
            continue
        source = scenario.homes()[flow.instance, flow.database]
        for target in targets_of(scenario, flow):
            if home == source:
                peers[target] = None
                bindings[_binding(flow, target)] = None
            elif home == target:
                peers[source] = None
    if not peers:
        return []
    database = place[1]
    return [
        MasterKeyCreated(database=database, master_key=MasterKey(_master_key())),
        CertificateCreated(database=database, certificate=_certificate(home)),
        *(UserCreated(database=database, user=User(_user(peer))) for peer in peers),
        *(CertificateCreated(database=database, certificate=_public(peer)) for peer in peers),
        *(RemoteServiceBindingCreated(database=database, binding=binding) for binding in bindings),
    ]


def targets_of(scenario: Scenario, flow: Flow) -> list[Place]:
    """Databases that have the service to which a flow leads, each once however many partners it has."""
    homes = scenario.homes()
    return list(
        dict.fromkeys(
            homes[instance.name, database.name]
            for instance in scenario.instances
            for database in instance.databases
            if flow.to_service in database.services
        )
    )


def _binding(flow: Flow, target: Place) -> RemoteServiceBinding:
    is_anonymous = flow.security is SecurityKind.ANONYMOUS
    return RemoteServiceBinding(RemoteServiceBindingName(flow.to_service), flow.to_service, _user(target), is_anonymous)


def _user(peer: Place) -> UserName:
    """The user that stands for another database."""
    return UserName(f"{peer[0]} {peer[1]}")


@cache
def _master_key() -> SealedKey:
    return VAULT.new_master_key()


@cache
def _certificate(place: Place) -> Certificate:
    """The certificate of a database, with its private key."""
    while True:
        begins, ends = UtcTime(EPOCH - YEAR_SECONDS), UtcTime(EPOCH + YEAR_SECONDS)
        made = VAULT.new_certificate(_master_key(), _user(place), begins, ends)
        assert made is not None, "the vault has made the master key itself"
        facts, private_key = made
        if len(facts.reference.serial) == SERIAL_DIGITS:
            break
    return Certificate(
        name=CertificateName(_user(place)),
        owner=DBO,
        certificate=facts.certificate,
        subject=facts.subject,
        reference=facts.reference,
        starts_at=facts.starts_at,
        expires_at=facts.expires_at,
        key_bits=facts.key_bits,
        private_key=private_key,
    )


def _public(peer: Place) -> Certificate:
    """The certificate of another database as it was imported."""
    return msgspec.structs.replace(_certificate(peer), owner=_user(peer), private_key=None)
