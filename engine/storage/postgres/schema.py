"""Tables of an instance's schema, version by version.

Names and columns are the vendor's where the vendor has them (views.md 1), so that a schema can be read with `psql`.
Rows of messages are appended to tables without order; their order is in one small index each. Identifiers are `uuid`,
times are UTC seconds, names are compared byte by byte. A published version is never edited; a change of the tables is a
new version.
"""

from __future__ import annotations

from typing import Final

FENCED: Final = "SB001"
"""SQLSTATE of a commit that another owner's number refuses."""

_VERSION_1: Final = """
CREATE TABLE owner (
    fence      bigint NOT NULL,      -- the highest number that ever owned the instance
    pid        integer NOT NULL,     -- its session on the server
    since      timestamptz NOT NULL  -- when that session began: a pid alone may be another's by now
);
INSERT INTO owner VALUES (-1, 0, 'epoch');

CREATE TABLE notes (
    key   text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

CREATE TABLE catalog (
    id       smallint PRIMARY KEY CHECK (id = 1),
    revision bigint NOT NULL,
    body     bytea NOT NULL          -- InstanceCatalog, MessagePack
);

CREATE TABLE conversation_endpoints (
    id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- age: ascending
    database_name         text COLLATE "C" NOT NULL,
    conversation_handle   uuid NOT NULL,
    conversation_id       uuid NOT NULL,
    is_initiator          boolean NOT NULL,
    conversation_group_id uuid NOT NULL,
    service               text NOT NULL,
    contract              text NOT NULL,
    state                 text NOT NULL,
    far_service           text NOT NULL,
    far_broker_instance   uuid,
    lifetime              double precision NOT NULL,
    send_sequence         bigint NOT NULL,
    receive_sequence      bigint NOT NULL,
    end_dialog_sequence   bigint NOT NULL,
    security_timestamp    double precision NOT NULL,
    priority              bigint NOT NULL,
    dialog_timer          double precision NOT NULL,
    asks_for              text,
    asks_for_binding      text,
    is_encryption_wanted  boolean NOT NULL,
    security              bytea,     -- DialogSecurity, MessagePack; keys in it are sealed
    error_for_peer        bigint
) WITH (fillfactor = 70);            -- every message changes its endpoint: room to do that within the page
CREATE UNIQUE INDEX conversation_endpoints_by_handle
    ON conversation_endpoints (conversation_handle, database_name);

CREATE TABLE transmission_queue (
    database_name           text COLLATE "C" NOT NULL,
    conversation_handle     uuid NOT NULL,
    message_sequence_number bigint NOT NULL,
    kind                    text NOT NULL,
    message_type_name       text,
    message_body            bytea,
    enqueue_time            double precision NOT NULL,
    fragment_bytes          bigint
);
CREATE UNIQUE INDEX transmission_queue_by_conversation
    ON transmission_queue (conversation_handle, database_name, message_sequence_number);

CREATE TABLE queue_messages (
    database_name           text COLLATE "C" NOT NULL,
    queue_name              text COLLATE "C" NOT NULL,
    queuing_order           bigint NOT NULL,
    status                  bigint NOT NULL,
    priority                bigint NOT NULL,
    conversation_group_id   uuid NOT NULL,
    conversation_handle     uuid NOT NULL,
    message_sequence_number bigint NOT NULL,
    service_name            text NOT NULL,
    service_contract_name   text NOT NULL,
    message_type_name       text NOT NULL,
    message_body            bytea,
    message_enqueue_time    double precision NOT NULL,
    awaits_queue            boolean NOT NULL,
    fragment_number         bigint,
    fragment_bytes          bigint,
    message_bytes           bigint
);
CREATE UNIQUE INDEX queue_messages_by_order ON queue_messages (database_name, queuing_order);

CREATE TABLE departed_sessions (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- age: ascending
    database_name   text COLLATE "C" NOT NULL,
    conversation_id uuid NOT NULL,
    is_initiator    boolean NOT NULL,
    security        bytea NOT NULL   -- DialogSecurity, MessagePack; keys in it are sealed
);
CREATE UNIQUE INDEX departed_sessions_by_conversation
    ON departed_sessions (conversation_id, is_initiator, database_name);

CREATE TABLE command_replies (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- age: ascending
    command_id uuid NOT NULL UNIQUE,
    reply      bytea NOT NULL,       -- Reply, MessagePack
    replied_at double precision NOT NULL
);

CREATE TABLE events (
    first  bigint PRIMARY KEY,       -- number of the first event of a commit
    count  integer NOT NULL,
    events bytea NOT NULL            -- array of BrokerEvent, MessagePack
);

-- Bodies of messages are often compressed or encrypted already; trying it again for each would cost more than it saves.
ALTER TABLE transmission_queue ALTER COLUMN message_body SET STORAGE EXTERNAL;
ALTER TABLE queue_messages ALTER COLUMN message_body SET STORAGE EXTERNAL;

-- Queues are emptied as fast as they are filled: what is dead must not wait for a fifth of the table.
ALTER TABLE transmission_queue SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE queue_messages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Stands before everything else of a transaction. The row stays locked until its end, so that a later owner either sees
-- what was committed or has raised the number before.
CREATE FUNCTION hold(expected bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found_number bigint;
BEGIN
    SELECT fence INTO found_number FROM owner FOR SHARE;
    IF found_number IS DISTINCT FROM expected THEN
        RAISE EXCEPTION 'the owner with the number % has it, not the one with %', found_number, expected
            USING ERRCODE = 'SB001';
    END IF;
END
$$;
"""

PLAIN: Final = (
    "status = 1 AND NOT awaits_queue AND message_type_name NOT IN ("
    "'http://schemas.microsoft.com/SQL/ServiceBroker/DialogTimer', 'http://schemas.microsoft.com/SQL/ServiceBroker/Error')"
)
"""Which messages of queues a start is told of by their places alone (`places.is_plain`)."""

_VERSION_2: Final = """
-- With all that a start needs of the messages: it does not look at the pages of their bodies.
CREATE UNIQUE INDEX queue_messages_by_place ON queue_messages (database_name, queuing_order) INCLUDE (
    message_sequence_number, conversation_handle, queue_name, priority, conversation_group_id, status, awaits_queue,
    message_type_name
);
DROP INDEX queue_messages_by_order;
"""

_VERSION_3: Final = """
ALTER TABLE conversation_endpoints ADD COLUMN sent_by bytea;  -- WayTaken, MessagePack
"""

VERSIONS: Final = (_VERSION_1, _VERSION_2, _VERSION_3)
"""What takes a schema from version n to n + 1, at position n. The number stands in the comment on the schema."""
