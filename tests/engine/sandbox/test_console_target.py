"""A console on an instance of a sandbox: everything it does is in the log, and a replay comes to the same state."""

from uuid import UUID

from engine.core.catalog.changes import EndpointCreated
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.vocabulary.moment import UtcTime
from engine.sandbox import OwnHands, Sandbox, SandboxSpec, SandboxTarget
from engine.tsql.console.session import ConsoleSession
from tests.engine.tsql.console.test_dialogs import ANSWER, ASK, HEAR, ONE_DATABASE
from tests.support.console_world import Typing
from tests.support.numbered_entropy import NumberedEntropy

ENTROPY = NumberedEntropy()


def a_spec():
    endpoint = Endpoint("Broker", 4022, EndpointState.STARTED)
    catalog = apply_changes(new_instance("HERE", ENTROPY), [EndpointCreated(endpoint=endpoint)])
    return SandboxSpec(seed=1, begins_at=UtcTime(1_780_000_000.0), instances=(catalog,))


def typing_into(sandbox, log):
    target = SandboxTarget(OwnHands(sandbox, log.append), "HERE", ENTROPY)
    return Typing(ConsoleSession(target, "master"))


def test_what_is_typed_is_in_the_log_and_is_replayed():
    spec, log = a_spec(), []
    sandbox = Sandbox(spec, is_hashed=True)
    typing = typing_into(sandbox, log)
    typing.do(ONE_DATABASE)
    ((asked,),) = typing.rows(ASK)
    assert isinstance(asked, UUID)
    assert typing.said(ANSWER) == ["//Tour/Request"]
    typing.do("WAITFOR DELAY '00:00:05'")
    assert typing.rows(HEAR)[0][0] == "//Tour/Answer"
    typing.do(
        "USE master; BACKUP DATABASE Tour TO DISK = 'a.bak'; RESTORE DATABASE Twin FROM DISK = 'a.bak' WITH NEW_BROKER"
    )
    again = Sandbox(spec, is_hashed=True)
    again.replay(log)
    again.advance(sandbox.seconds)
    assert again.hash == sandbox.hash


def test_a_transaction_stays_open_while_the_time_of_the_sandbox_flies():
    sandbox = Sandbox(a_spec())
    typing = typing_into(sandbox, [])
    typing.do(ONE_DATABASE)
    typing.do("BEGIN TRANSACTION;" + ASK)
    sandbox.advance(sandbox.seconds + 3_600.0)
    typing.do("WAITFOR DELAY '00:10:00'; COMMIT;")
    assert typing.said(ANSWER) == ["//Tour/Request"]


def test_time_passes_while_a_statement_waits():
    sandbox = Sandbox(a_spec())
    typing = typing_into(sandbox, [])
    typing.do(ONE_DATABASE)
    before = sandbox.seconds
    assert typing.rows("WAITFOR (RECEIVE status FROM AskingQueue), TIMEOUT 20000") == []
    assert 20.0 <= sandbox.seconds - before < 21.5
    typing.do("WAITFOR DELAY '00:01:00'")
    assert 80.0 <= sandbox.seconds - before < 82.0
