"""Tables of an instance's file, version by version.

Names and columns are the vendor's where the vendor has them (views.md 1), so that a file can be read with any SQLite
shell. Bodies stand in append-only tables whose order lives in a small index: a table clustered by conversation and
number inserts four times slower. Identifiers are sixteen bytes, times are UTC seconds. A published version is never
edited; a change of the tables is a new version.
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x53424B52
"""Marks a file as one of ours: 'SBKR'."""

_VERSION_1: Final = """
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE catalog (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    revision INTEGER NOT NULL,
    body     BLOB NOT NULL           -- InstanceCatalog, MessagePack
) STRICT;

CREATE TABLE conversation_endpoints (
    database_name         TEXT NOT NULL,
    conversation_handle   BLOB NOT NULL,
    conversation_id       BLOB NOT NULL,
    is_initiator          INTEGER NOT NULL,
    conversation_group_id BLOB NOT NULL,
    service               TEXT NOT NULL,
    contract              TEXT NOT NULL,
    state                 TEXT NOT NULL,
    far_service           TEXT NOT NULL,
    far_broker_instance   BLOB,
    lifetime              REAL NOT NULL,
    send_sequence         INTEGER NOT NULL,
    receive_sequence      INTEGER NOT NULL,
    end_dialog_sequence   INTEGER NOT NULL,
    security_timestamp    REAL NOT NULL,
    priority              INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX conversation_endpoints_by_handle
    ON conversation_endpoints (conversation_handle, database_name);

CREATE TABLE transmission_queue (
    database_name           TEXT NOT NULL,
    conversation_handle     BLOB NOT NULL,
    message_sequence_number INTEGER NOT NULL,
    kind                    TEXT NOT NULL,
    message_type_name       TEXT,
    message_body            BLOB,
    enqueue_time            REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX transmission_queue_by_conversation
    ON transmission_queue (conversation_handle, database_name, message_sequence_number);

CREATE TABLE queue_messages (
    database_name           TEXT NOT NULL,
    queue_name              TEXT NOT NULL,
    queuing_order           INTEGER NOT NULL,
    status                  INTEGER NOT NULL,
    priority                INTEGER NOT NULL,
    conversation_group_id   BLOB NOT NULL,
    conversation_handle     BLOB NOT NULL,
    message_sequence_number INTEGER NOT NULL,
    service_name            TEXT NOT NULL,
    service_contract_name   TEXT NOT NULL,
    message_type_name       TEXT NOT NULL,
    message_body            BLOB,
    message_enqueue_time    REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX queue_messages_by_order ON queue_messages (queuing_order, database_name);

CREATE TABLE command_replies (
    id         INTEGER PRIMARY KEY,  -- age: ascending
    command_id BLOB NOT NULL UNIQUE,
    reply      BLOB NOT NULL,        -- Reply, MessagePack
    replied_at REAL NOT NULL
) STRICT;

CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    event    BLOB NOT NULL           -- BrokerEvent, MessagePack
) STRICT;
"""

_VERSION_2: Final = """
ALTER TABLE conversation_endpoints ADD COLUMN asks_for TEXT;
"""

_VERSION_3: Final = """
ALTER TABLE transmission_queue ADD COLUMN fragment_bytes INTEGER;
ALTER TABLE queue_messages ADD COLUMN fragment_number INTEGER;
ALTER TABLE queue_messages ADD COLUMN fragment_bytes INTEGER;
ALTER TABLE queue_messages ADD COLUMN message_bytes INTEGER;
ALTER TABLE conversation_endpoints ADD COLUMN error_for_peer INTEGER;
ALTER TABLE conversation_endpoints ADD COLUMN dialog_timer REAL NOT NULL DEFAULT -2208988800.0;  -- 1900: none
ALTER TABLE queue_messages ADD COLUMN awaits_queue INTEGER NOT NULL DEFAULT 0;  -- came while the queue was off
ALTER TABLE conversation_endpoints ADD COLUMN asks_for_binding TEXT;
ALTER TABLE conversation_endpoints ADD COLUMN is_encryption_wanted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation_endpoints ADD COLUMN security BLOB;  -- DialogSecurity, MessagePack; keys in it are sealed
"""

_VERSION_4: Final = """
CREATE TABLE departed_sessions (
    database_name   TEXT NOT NULL,
    conversation_id BLOB NOT NULL,
    is_initiator    INTEGER NOT NULL,
    security        BLOB NOT NULL    -- DialogSecurity, MessagePack; keys in it are sealed
) STRICT;
CREATE UNIQUE INDEX departed_sessions_by_conversation
    ON departed_sessions (conversation_id, is_initiator, database_name);
"""

_VERSION_5: Final = """
CREATE TABLE event_batches (
    first  INTEGER PRIMARY KEY,      -- number of the first event
    count  INTEGER NOT NULL,
    events BLOB NOT NULL             -- the events of one commit, MessagePack
) STRICT;
INSERT INTO event_batches SELECT sequence, 1, CAST(x'91' || event AS BLOB) FROM events ORDER BY sequence;
DROP TABLE events;

CREATE TABLE reply_batches (
    id          INTEGER PRIMARY KEY, -- age: ascending
    command_ids BLOB NOT NULL,       -- sixteen bytes each
    replies     BLOB NOT NULL,       -- one for each command, MessagePack
    replied_at  REAL NOT NULL        -- the last of them
) STRICT;
INSERT INTO reply_batches
    SELECT id, command_id, CAST(x'91' || reply AS BLOB), replied_at FROM command_replies ORDER BY id;
DROP TABLE command_replies;
"""

PLAIN: Final = (
    "status = 1 AND awaits_queue = 0 AND message_type_name NOT IN ("
    "'http://schemas.microsoft.com/SQL/ServiceBroker/DialogTimer', 'http://schemas.microsoft.com/SQL/ServiceBroker/Error')"
)
"""Which messages of queues a start is told of by their places alone (`places.is_plain`); part of the indexes below."""

_VERSION_6: Final = f"""
CREATE INDEX queue_messages_plain ON queue_messages (
    database_name, queuing_order, message_sequence_number, conversation_handle, queue_name, priority,
    conversation_group_id
) WHERE {PLAIN};                     -- all that a start needs of them, without the pages of their bodies
CREATE INDEX queue_messages_others ON queue_messages (database_name, queuing_order) WHERE NOT ({PLAIN});
"""

_VERSION_7: Final = """
ALTER TABLE conversation_endpoints ADD COLUMN sent_by BLOB;  -- WayTaken, MessagePack
"""

VERSIONS: Final = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4, _VERSION_5, _VERSION_6, _VERSION_7)
"""What takes a file from version n to n + 1, at position n. The number stands in `PRAGMA user_version`."""
