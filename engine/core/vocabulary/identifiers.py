"""Names and identifiers, each with a type of its own so that one is never passed for another.

Two words are easily confused (architecture, vocabulary traps): an `InstanceName` is a server process, a
`BrokerInstanceId` is the `service_broker_guid` of *one database*.
"""

from __future__ import annotations

from sys import intern
from typing import NewType, TypeVar, cast
from uuid import UUID

EstateName = NewType("EstateName", str)
"""A whole modelled network of instances; instance names are unique inside one."""

InstanceName = NewType("InstanceName", str)
"""One SQL-Server-like server process: several databases, at most one broker endpoint."""

DatabaseName = NewType("DatabaseName", str)
"""A database of an instance; `msdb` holds the routes for what arrives from the network."""

BrokerInstanceId = NewType("BrokerInstanceId", UUID)
"""`service_broker_guid` of one database; what routes and dialogs call *broker instance*."""

ConversationId = NewType("ConversationId", UUID)
"""Shared by the two endpoints of a conversation."""

ConversationHandle = NewType("ConversationHandle", UUID)
"""Names one endpoint of a conversation; each side has its own."""

ConversationGroupId = NewType("ConversationGroupId", UUID)
"""Local to one side; messages of one group are received by one reader at a time."""

ServiceName = NewType("ServiceName", str)
"""Travels in messages; compared code unit by code unit, never folded (routing.md 1)."""

QueueName = NewType("QueueName", str)
ContractName = NewType("ContractName", str)
MessageTypeName = NewType("MessageTypeName", str)
RouteName = NewType("RouteName", str)
EndpointName = NewType("EndpointName", str)
UserName = NewType("UserName", str)
LoginName = NewType("LoginName", str)
CertificateName = NewType("CertificateName", str)
RemoteServiceBindingName = NewType("RemoteServiceBindingName", str)

CatalogRevision = NewType("CatalogRevision", int)
"""Number of the desired topology that an instance has applied; 0 is the empty instance."""

EventSequence = NewType("EventSequence", int)
"""Position in an instance's event log; the first event has number 1."""

FencingNumber = NewType("FencingNumber", int)
"""Which ownership of an instance a commit belongs to: each new owner has a higher one, and lower ones are refused."""

AskerId = NewType("AskerId", int)
"""Names one connection that a neighbour has opened to us, for as long as it lasts."""

CommandId = NewType("CommandId", UUID)
"""End-to-end idempotency key of a command."""

TransactionId = NewType("TransactionId", UUID)
"""An open transaction of a session; it lives in memory only, so a restart has rolled it back."""

ActivatedTaskId = NewType("ActivatedTaskId", int)
"""A reader that a queue monitor has started; numbered anew with each start of the instance."""

PriorityName = NewType("PriorityName", str)
EventNotificationName = NewType("EventNotificationName", str)


def known_id(broker: BrokerInstanceId | None) -> BrokerInstanceId | None:
    """The id, or None when it is that of a database that never had a broker: zeros alone (identity.md 1)."""
    return broker if broker is not None and broker.int else None


MSDB = DatabaseName("msdb")
MASTER = DatabaseName("master")
"""The two system databases that matter to the broker."""


Name = TypeVar("Name", bound=str)


def shared(name: Name) -> Name:
    """The same name as one string: whatever is decoded makes new ones, and every conversation has three of a few."""
    return cast("Name", intern(name))
