"""The PostgreSQL store keeps the contract of a store, and what only a server can break."""

import signal
import time
from uuid import uuid4

import psycopg
import pytest

from engine.core.exchange.changes import AppendTransmission, PutCommandReply, PutEndpoint
from engine.core.exchange.replies import MessageSent
from engine.core.vocabulary.identifiers import CommandId, EstateName, FencingNumber, InstanceName
from engine.core.vocabulary.rows import put_together
from engine.storage.errors import StoreFailed, StoreFenced, StoreInUse
from engine.storage.postgres import PostgresStore
from engine.storage.postgres.connection import connect
from engine.storage.postgres.naming import marked, schema_name
from engine.storage.postgres.ownership import open_schema
from engine.storage.postgres.schema import VERSIONS
from tests.engine.ports.durable_contract import DurableStoreContract
from tests.engine.ports.fencing_contract import TakeOverContract
from tests.engine.ports.store_contract import PARIS, TIME, VENTES, endpoint, rows, taken, waiting
from tests.support.postgres_server import PostgresServer, running_postgres
from tests.support.waiting import SECONDS_MAX

FENCE = FencingNumber(1)


class TestPostgresStore(DurableStoreContract, TakeOverContract):
    opening = "from engine.storage.postgres import PostgresStore as S; S(PLACE[0], PLACE[1], 'PARIS', 1)"

    @pytest.fixture(autouse=True)
    def _estate(self, postgres: PostgresServer, estate: EstateName):
        self.place = (postgres.url, estate)

    def open_with(self, fence: FencingNumber) -> PostgresStore:
        url, estate = self.place
        return PostgresStore(url, EstateName(estate), PARIS, fence)

    def open_store(self) -> PostgresStore:
        return self.open_with(FENCE)

    def open_after_kill(self) -> PostgresStore:
        """The server notices a moment later that a process is gone."""
        deadline = time.monotonic() + SECONDS_MAX
        while True:
            try:
                return self.open_store()
            except StoreInUse:
                assert time.monotonic() < deadline
                time.sleep(0.02)


@pytest.fixture
def estate() -> EstateName:
    return EstateName(f"démo {uuid4()}")


def test_the_names_of_schemas_fit_and_differ():
    names = [
        ("démo", "PARIS"),
        ("dém", "oPARIS"),
        ("d" * 128, "P" * 128),
        ("d" * 128, "P" * 127 + "Q"),
        ("日本", "東京"),
        ("", ""),
    ]
    names += [("démo", "paris"), ("a_b", "c"), ("a", "b_c"), ("a\\", "\0"), ("a", "\\\0")]
    schemas = {schema_name(EstateName(estate), InstanceName(instance)) for estate, instance in names}
    assert len(schemas) == len(names)
    assert all(len(each.encode()) <= 63 for each in schemas)
    assert schema_name(EstateName("demo"), PARIS).startswith("broker_demo_paris_")


def test_stores_are_found_by_both_names_in_full(postgres: PostgresServer, estate: EstateName):
    instance = InstanceName("P" * 128)
    PostgresStore(postgres.url, estate, instance, FENCE).close()
    with connect(postgres.url) as connection:
        assert (estate, instance) in [(each.estate, each.instance) for each in marked(connection)]


def test_a_schema_of_another_program_is_refused_and_left_alone(postgres: PostgresServer, estate: EstateName):
    schema = schema_name(estate, PARIS)
    postgres.sql(f'CREATE SCHEMA "{schema}"; CREATE TABLE "{schema}".theirs (x int)')
    with pytest.raises(StoreFailed, match="not the store of an instance"):
        PostgresStore(postgres.url, estate, PARIS, FENCE)
    assert postgres.sql(f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'") == [("theirs",)]


def test_a_schema_of_a_later_version_is_refused(postgres: PostgresServer, estate: EstateName):
    PostgresStore(postgres.url, estate, PARIS, FENCE).close()
    with connect(postgres.url) as connection:
        open_schema(connection, estate, PARIS, FENCE, (*VERSIONS, "CREATE TABLE added (x int)"))
    with pytest.raises(StoreFailed, match="newer"):
        PostgresStore(postgres.url, estate, PARIS, FENCE)


def test_an_older_schema_is_brought_up_or_left_as_it_is(postgres: PostgresServer, estate: EstateName):
    store = PostgresStore(postgres.url, estate, PARIS, FENCE)
    store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [])
    store.close()
    steps = (*VERSIONS, "CREATE TABLE added (x int)")
    with connect(postgres.url) as connection, pytest.raises(psycopg.errors.SyntaxError):
        open_schema(connection, estate, PARIS, FENCE, (*steps, "CREATE TABLE half (x int)", "nonsense"))
    again = PostgresStore(postgres.url, estate, PARIS, FENCE)
    assert rows(again).endpoints == [endpoint(1)]
    again.close()
    with connect(postgres.url) as connection:
        open_schema(connection, estate, PARIS, FENCE, steps)
        assert connection.execute("SELECT count(*) FROM added").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM conversation_endpoints").fetchone() == (1,)


def test_a_damaged_row_is_refused_when_it_is_read(postgres: PostgresServer, estate: EstateName):
    store = PostgresStore(postgres.url, estate, PARIS, FENCE)
    store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [])
    postgres.sql(f"""UPDATE "{schema_name(estate, PARIS)}".conversation_endpoints SET state = 'QQ'""")
    with pytest.raises(StoreFailed, match="state"):
        list(store.load().databases)
    store.close()


def test_an_address_that_leads_nowhere_is_a_store_failure_without_the_password(estate: EstateName):
    for url in ("postgresql://me:hushhush@127.0.0.1:1/x", "postgresql://me:hushhush@%zz/x", "nonsense hushhush"):
        with pytest.raises(StoreFailed) as caught:
            PostgresStore(url, estate, PARIS, FENCE)
        assert "hushhush" not in f"{caught.value}"


def test_a_database_without_unicode_is_refused(postgres: PostgresServer, estate: EstateName):
    postgres.sql("CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    with pytest.raises(StoreFailed, match="UTF8"):
        PostgresStore(postgres.url.replace("/postgres", "/old"), estate, PARIS, FENCE)


def test_a_commit_is_on_the_disk_whatever_the_habit_of_the_server(postgres: PostgresServer, estate: EstateName):
    postgres.sql("ALTER ROLE brokerweb SET synchronous_commit = off")
    try:
        store = PostgresStore(postgres.url, estate, PARIS, FENCE)
    finally:
        postgres.sql("ALTER ROLE brokerweb RESET synchronous_commit")
    assert store._connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    store.close()


def test_a_new_command_costs_no_question_and_a_known_one_is_answered_after_a_restart(
    postgres: PostgresServer, estate: EstateName
):
    store = PostgresStore(postgres.url, estate, PARIS, FENCE)
    command, reply = CommandId(uuid4()), MessageSent(message_sequence_number=1)
    store.commit([PutCommandReply(command_id=command, reply=reply, replied_at=TIME)], [])
    store.close()
    again = PostgresStore(postgres.url, estate, PARIS, FENCE)
    assert again.reply_of(command) == reply
    again._connection.close()
    assert again.reply_of(CommandId(uuid4())) is None
    with pytest.raises(StoreFailed):
        again.reply_of(command)


def test_the_number_alone_refuses_a_commit_of_a_session_that_lives(postgres: PostgresServer, estate: EstateName):
    store = PostgresStore(postgres.url, estate, PARIS, FENCE)
    store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [taken(1)])
    postgres.sql(f'UPDATE "{schema_name(estate, PARIS)}".owner SET fence = 9')
    for _ in range(2):
        with pytest.raises(StoreFenced, match=r"\b9\b"):
            store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(2))], [taken(2)])
        with pytest.raises(StoreFenced):
            store.write_note("hosting", "mine")
    assert rows(store).endpoints == [endpoint(1)]
    assert store.load().last_event == 1
    assert store.read_note("hosting") is None
    store.close()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_lost_server_is_a_store_failure_and_what_was_committed_is_there_when_it_comes_back(
    estate: EstateName, how: signal.Signals
):
    with running_postgres() as server:
        store = PostgresStore(server.url, estate, PARIS, FENCE)
        for number in range(20):
            store.commit([AppendTransmission(database=VENTES, row=waiting(1, number))], [taken(number)])
        server.stop(how)
        for _ in range(2):
            with pytest.raises(StoreFailed) as caught:
                store.commit([AppendTransmission(database=VENTES, row=waiting(1, 20))], [taken(20)])
            assert not isinstance(caught.value, StoreFenced)
        with pytest.raises(StoreFailed):
            list(store.load().databases)
        store.close()
        with pytest.raises(StoreFailed, match="refused"):
            PostgresStore(server.url, estate, PARIS, FENCE)
        server.start()
        again = PostgresStore(server.url, estate, PARIS, FENCE)
        [database] = put_together(again.load().databases)
        assert [row.message_sequence_number for row in database.transmission] == list(range(20))
        assert again.load().last_event == 20
        again.close()
