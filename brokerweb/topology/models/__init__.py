"""The rows of the wanted topology.

They are a relational picture of engine catalogs: the engine validates, `services.rows` writes the difference,
`selectors.catalogs` reads it back. Names compare as the engine compares them: database, queue and route names
without regard to case (a folded copy carries the unique constraint, since databases fold only ASCII), services,
contracts and message types code unit by code unit.
"""

from __future__ import annotations

from brokerweb.topology.models.certificate_files import CertificateFile
from brokerweb.topology.models.change_sets import ChangeSet, ChangeSetState, Decision, DecisionPart
from brokerweb.topology.models.definitions import (
    Contract,
    ContractUse,
    Endpoint,
    MessageType,
    Queue,
    Route,
    Service,
    ServiceContract,
)
from brokerweb.topology.models.estates import Database, Estate, Instance, Mirror
from brokerweb.topology.models.findings import FindingSighting, FindingSuppression
from brokerweb.topology.models.flows import IntendedLoss, ObservedFlow
from brokerweb.topology.models.listing import ListedObject
from brokerweb.topology.models.positions import NodePosition
from brokerweb.topology.models.revisions import RevisionPart, TopologyRevision

__all__ = [
    "CertificateFile",
    "ChangeSet",
    "ChangeSetState",
    "Contract",
    "ContractUse",
    "Database",
    "Decision",
    "DecisionPart",
    "Endpoint",
    "Estate",
    "FindingSighting",
    "FindingSuppression",
    "Instance",
    "IntendedLoss",
    "ListedObject",
    "MessageType",
    "Mirror",
    "NodePosition",
    "ObservedFlow",
    "Queue",
    "RevisionPart",
    "Route",
    "Service",
    "ServiceContract",
    "TopologyRevision",
]
