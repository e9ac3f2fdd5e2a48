"""Functions that ask the session or the instance: what they are called, what they take and give.

Who answers them is in `session_answers`.
"""

from __future__ import annotations

from typing import Final

from engine.tsql.console.functions import Scalar
from engine.tsql.console.types import (
    BIGINT,
    DATETIME,
    DATETIME2,
    FLOAT,
    INT,
    NVARCHAR,
    SYSNAME,
    UNIQUEIDENTIFIER,
    VARBINARY,
    SqlType,
)

GLOBALS: Final[dict[str, SqlType]] = {
    "ROWCOUNT": INT,
    "ERROR": INT,
    "TRANCOUNT": INT,
    "SERVERNAME": NVARCHAR,
    "VERSION": NVARCHAR,
    "SPID": SqlType("smallint"),
    "NESTLEVEL": INT,
    "SERVICENAME": NVARCHAR,
}
"""Functions that are written as variables: @@ROWCOUNT."""


def _asks(takes: str, gives: SqlType, optional: int = 0) -> Scalar:
    return Scalar(takes=takes, gives=gives, call=lambda *_: None, optional=optional)


SESSION_FUNCTIONS: Final[dict[str, Scalar]] = {
    "GETDATE": _asks("", DATETIME),
    "GETUTCDATE": _asks("", DATETIME),
    "SYSDATETIME": _asks("", DATETIME2),
    "SYSUTCDATETIME": _asks("", DATETIME2),
    "NEWID": _asks("", UNIQUEIDENTIFIER),
    "RAND": _asks("i", FLOAT, 1),
    "DB_NAME": _asks("i", SYSNAME, 1),
    "DB_ID": _asks("s", INT, 1),
    "OBJECT_ID": _asks("ss", INT, 1),
    "OBJECT_NAME": _asks("ii", SYSNAME, 1),
    "SCHEMA_NAME": _asks("i", SYSNAME, 1),
    "USER_NAME": _asks("i", SYSNAME, 1),
    "SUSER_SNAME": _asks("b", SYSNAME, 1),
    "SUSER_NAME": _asks("i", SYSNAME, 1),
    "ORIGINAL_LOGIN": _asks("", SYSNAME),
    "HOST_NAME": _asks("", NVARCHAR),
    "APP_NAME": _asks("", NVARCHAR),
    "SERVERPROPERTY": _asks("s", NVARCHAR),
    "DATABASEPROPERTYEX": _asks("ss", NVARCHAR),
    "XACT_STATE": _asks("", SqlType("smallint")),
    "ROWCOUNT_BIG": _asks("", BIGINT),
    "ERROR_NUMBER": _asks("", INT),
    "ERROR_MESSAGE": _asks("", NVARCHAR),
    "ERROR_SEVERITY": _asks("", INT),
    "ERROR_STATE": _asks("", INT),
    "ERROR_LINE": _asks("", INT),
    "ERROR_PROCEDURE": _asks("", NVARCHAR),
    "GET_TRANSMISSION_STATUS": _asks("g", NVARCHAR),
    "CERT_ID": _asks("s", INT),
    "CERTENCODED": _asks("i", VARBINARY),
}
