"""Private estates when the dashboard's database is PostgreSQL: several processes show one sandbox."""

import time

import pytest
from django.db import connections

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.errors import ObjectNotFound, RightMissing, TrainingOver
from brokerweb.live.services.snapshots import live_snapshot
from brokerweb.live.topics import QueuesTopic
from brokerweb.topology.private_estates import Access, admitted, private_state
from brokerweb.topology.selectors.topology import topology_picture
from brokerweb.training.entry_log import DjangoEntryLog
from brokerweb.training.models import Mode, TrainingGroup
from brokerweb.training.services.acting import script_run
from brokerweb.training.services.sessions import session_begin, session_finish
from engine import api as engine
from tests.brokerweb.private_estates import ROUTE
from tests.support.waiting import until


@pytest.fixture
def people(postgres):
    found = [user_create("olga", Role.OPERATOR), user_create("tatiana", Role.TRAINER), user_create("pavel", Role.ADMIN)]
    yield found
    for each in found:
        each.delete()


def other_process():
    """It shares nothing with this one but the database."""
    return engine.sandboxes.SandboxKeeper(DjangoEntryLog(), time.time, observe=lambda: [engine.training.Manifest()])


def test_a_sandbox_is_shown_to_its_people_and_follows_what_another_process_does(people):
    olga, tatiana, pavel = people
    row = session_begin(olga, "first-route", Mode.PRACTISE, seed=5)
    engine.sandboxes.sandbox_keeper().set_rate(row.sandbox, 0.0)
    assert admitted(row.sandbox, olga, acts=True) is Access.OWN
    for stranger in (tatiana, pavel):
        with pytest.raises(ObjectNotFound):
            admitted(row.sandbox, stranger)
    TrainingGroup.objects.create(name="Equipe", trainer=tatiana).members.add(olga)
    assert admitted(row.sandbox, tatiana) is Access.LOOK
    with pytest.raises(RightMissing):
        admitted(row.sandbox, tatiana, acts=True)

    before = private_state(row.sandbox)
    script_run(olga, row.pk, instance="PARIS", database="Ventes", script=ROUTE)
    after = private_state(row.sandbox)
    assert after.revision > before.revision
    assert after.tag != before.tag
    other_process().step(row.sandbox, 30.0)
    assert private_state(row.sandbox).utc == pytest.approx(after.utc + 30.0, abs=0.1)
    assert private_state(row.sandbox).tag == after.tag
    assert topology_picture(row.sandbox)["state"] == after.tag

    session_finish(olga, row.pk)
    with pytest.raises(TrainingOver):
        admitted(row.sandbox, olga)


def test_threads_that_read_it_leave_no_connection_behind(people, postgres):
    olga, _, _ = people
    row = session_begin(olga, "first-route", Mode.PRACTISE, seed=5)
    engine.sandboxes.sandbox_keeper().set_rate(row.sandbox, 0.0)

    def connected():
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
            return cursor.fetchone()[0]

    live_snapshot(row.sandbox, QueuesTopic())
    before = connected()
    for _ in range(5):
        assert live_snapshot(row.sandbox, QueuesTopic()).rows
    until(lambda: connected() <= before, "the connections of those threads are closed")
    session_finish(olga, row.pk)
