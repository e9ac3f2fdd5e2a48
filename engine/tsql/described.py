"""What a statement is about, as a reader of the plan would call it."""

from __future__ import annotations

from engine.core.catalog.permissions import Securable
from engine.core.vocabulary.identifiers import DatabaseName
from engine.tsql.reading_statements import (
    AlterPriority,
    CreateEventNotification,
    CreatePriority,
    DropEventNotification,
    SetPriorityHonoured,
    SetTrustworthy,
)
from engine.tsql.security_statements import (
    AlterBinding,
    AlterCertificate,
    AlterMasterKey,
    AlterServiceOwner,
    BackupCertificate,
    CreateBinding,
    CreateCertificate,
    CreateLogin,
    CreateMasterKey,
    CreateUser,
    DropMasterKey,
    SetConnectPermission,
    SetPermission,
)
from engine.tsql.statements import (
    AlterEndpoint,
    AlterMessageType,
    AlterQueue,
    AlterRoute,
    AlterService,
    AnyStatement,
    Connect,
    CreateContract,
    CreateDatabase,
    CreateEndpoint,
    CreateMessageType,
    CreateQueue,
    CreateRoute,
    CreateService,
    Drop,
    DropDatabase,
    MaintainQueue,
    MirroringEndpoint,
    SetBroker,
    SetPartner,
    SetState,
    Use,
)


def described(statement: AnyStatement, database: DatabaseName | None) -> tuple[str, str, str]:
    """Verb, kind and name of what a statement is about, as a reader would call them; `database` is the current one."""
    match statement:
        case Connect():
            return ":CONNECT", "instance", statement.instance
        case Use():
            return "USE", "database", statement.database
        case CreateDatabase():
            return "CREATE", "database", statement.name
        case DropDatabase():
            return "DROP", "database", ", ".join(statement.names)
        case SetBroker() | SetState():
            return f"SET {statement.option}", "database", statement.database or database or "CURRENT"
        case SetPartner():
            return "SET PARTNER", "database", statement.database or database or "CURRENT"
        case SetConnectPermission():
            return f"{statement.verb} CONNECT", "endpoint", str(statement.name)
        case SetPermission():
            permission = "SEND" if statement.securable is Securable.SERVICE else "RECEIVE"
            return f"{statement.verb} {permission}", statement.securable.lower(), str(statement.name)
        case SetPriorityHonoured():
            switch = "ON" if statement.is_honoured else "OFF"
            return f"SET HONOR_BROKER_PRIORITY {switch}", "database", statement.database or database or "CURRENT"
        case SetTrustworthy():
            switch = "ON" if statement.is_trustworthy else "OFF"
            return f"SET TRUSTWORTHY {switch}", "database", statement.database or database or "CURRENT"
        case MirroringEndpoint():
            return statement.verb, "endpoint", str(statement.name)
        case DropEventNotification():
            return "DROP", "event notification", ", ".join(map(str, statement.names))
        case Drop():
            return "DROP", statement.kind.lower(), str(statement.name)
        case CreateMasterKey() | AlterMasterKey() | DropMasterKey():
            return _SPOKEN[type(statement)][0], "master key", ""
        case _:
            verb, kind = _SPOKEN[type(statement)]
            return verb, kind, str(statement.name)


_SPOKEN: dict[type, tuple[str, str]] = {
    CreateMessageType: ("CREATE", "message type"),
    AlterMessageType: ("ALTER", "message type"),
    CreateContract: ("CREATE", "contract"),
    CreateQueue: ("CREATE", "queue"),
    AlterQueue: ("ALTER", "queue"),
    MaintainQueue: ("ALTER", "queue"),
    CreateService: ("CREATE", "service"),
    AlterService: ("ALTER", "service"),
    CreateRoute: ("CREATE", "route"),
    AlterRoute: ("ALTER", "route"),
    CreateEndpoint: ("CREATE", "endpoint"),
    AlterEndpoint: ("ALTER", "endpoint"),
    CreateMasterKey: ("CREATE", "master key"),
    AlterMasterKey: ("ALTER", "master key"),
    DropMasterKey: ("DROP", "master key"),
    CreateUser: ("CREATE", "user"),
    CreateLogin: ("CREATE", "login"),
    CreateCertificate: ("CREATE", "certificate"),
    AlterCertificate: ("ALTER", "certificate"),
    BackupCertificate: ("BACKUP", "certificate"),
    CreateBinding: ("CREATE", "remote service binding"),
    AlterBinding: ("ALTER", "remote service binding"),
    AlterServiceOwner: ("ALTER", "service"),
    CreatePriority: ("CREATE", "broker priority"),
    AlterPriority: ("ALTER", "broker priority"),
    CreateEventNotification: ("CREATE", "event notification"),
}
