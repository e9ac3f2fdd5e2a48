"""What security refuses is foreseen where it is refused, with the number that a live instance shows.

Each estate is tried in the simulator by `asked`, course by course.
"""

import pytest

from engine.core.catalog.changes import DatabaseCreated, EndpointAltered, QueueCreated, ServiceCreated
from engine.core.catalog.objects import DEFAULT_CONTRACT, Queue, Service
from engine.core.catalog.permissions import Securable
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.security import Login, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    PermissionSet,
    RemoteServiceBindingCreated,
    UserCreated,
)
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, PermissionVerb
from engine.core.vocabulary.dialog_security import SealedKey
from engine.whatif.asking import ask
from engine.whatif.evaluation import Evaluation
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import FlowVerdicts
from engine.whatif.watching import WatchedSnapshot
from tests.support.random_estates import NOW
from tests.support.secured_estates import YEAR, paper_certificate, public_half
from tests.support.small_estates import OTHER, asked, end, estate, lights, shop, store, to

OURS, THEIRS = paper_certificate(1), paper_certificate(2)
GREEN = "green green green green"
KEY = MasterKey(SealedKey(b"master"))


def certificate(database, value):
    return CertificateCreated(database=database, certificate=value)


def pair(*, west=(), east=(), binding="full", ours=OURS, theirs=THEIRS, known=True, keys=True):
    """WEST/Shop ──▶ EAST/Store; each knows the other's certificate, and Shop has a binding for Stock."""
    there, here = shop(to("TCP://east:4022")), store()
    secured = []
    if binding != "none":
        made = RemoteServiceBinding("ToStock", "Stock", "Warehouse", is_anonymous=binding == "anonymous")
        secured = [RemoteServiceBindingCreated(database="Shop", binding=made)]
    shop_changes = [
        *([MasterKeyCreated(database="Shop", master_key=KEY)] if keys else []),
        UserCreated(database="Shop", user=User("Warehouse")),
        *([certificate("Shop", ours)] if ours and keys else []),
        *([certificate("Shop", public_half(theirs, "Warehouse"))] if known else []),
        *secured,
        *west,
    ]
    store_changes = [
        MasterKeyCreated(database="Store", master_key=KEY),
        UserCreated(database="Store", user=User("Customer")),
        certificate("Store", theirs),
        *([certificate("Store", public_half(ours, "Customer"))] if ours else []),
        *east,
    ]
    return estate(apply_changes(there, shop_changes), apply_changes(here, store_changes))


def sending(verb, grantee):
    return PermissionSet(database="Store", verb=verb, securable=Securable.SERVICE, name="Stock", grantee=grantee)


def test_without_a_binding_encryption_decides():
    """OFF sends in clear, ON waits for a binding."""
    assert lights(asked(pair(binding="none"))) == GREEN
    assert end(asked(pair(binding="none"), encryption=True)) == ("delayed", "WEST", 9727)


@pytest.mark.parametrize("binding", ["full", "anonymous"])
@pytest.mark.parametrize("encryption", [True, False])
def test_a_binding_secures_whatever_encryption_says(binding, encryption):
    assert lights(asked(pair(binding=binding), encryption=encryption)) == GREEN


OLD = {"starts_at": NOW - 2 * YEAR, "expires_at": NOW - 1.0}
EARLY = {"starts_at": NOW + YEAR, "expires_at": NOW + 2 * YEAR}


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"ours": None}, ("delayed", "WEST", 9731)),
        ({"ours": paper_certificate(1, **OLD)}, ("delayed", "WEST", 28025)),
        ({"ours": paper_certificate(1, **EARLY)}, ("delayed", "WEST", 28024)),
        ({"theirs": paper_certificate(2, **OLD)}, ("delayed", "WEST", 28025)),
        ({"known": False}, ("delayed", "WEST", 9731)),
        ({"binding": "anonymous", "keys": False}, ("delayed", "WEST", 28050)),
        ({"west": [MasterKeyAltered(database="Shop", is_encrypted_by_server=False)]}, ("delayed", "WEST", 28054)),
        (
            {"west": [CertificateAltered(database="Shop", name=OURS.name, is_active_for_begin_dialog=False)]},
            ("delayed", "WEST", 9735),
        ),
        (
            {"east": [CertificateDropped(database="Store", name=OURS.name)]},
            ("discarded", "EAST/Store", 11229),
        ),
        (
            {"east": [MasterKeyAltered(database="Store", is_encrypted_by_server=False)]},
            ("discarded", "EAST/Store", 28054),
        ),
        ({"east": [sending(PermissionVerb.DENY, "Customer")]}, ("refused", "EAST/Store", 8494)),
    ],
)
def test_the_first_refusal_on_the_way_is_the_answer(fields, found):
    assert end(asked(pair(**fields))) == found


def test_a_certificate_that_the_target_owns_for_nobody_of_the_service_is_no_certificate_of_it():
    """Its owner needs CONTROL of the service: the owner of the service, or dbo."""
    clerk = paper_certificate(2, owner="Clerk")
    east = [UserCreated(database="Store", user=User("Clerk")), certificate("Store", clerk)]
    catalogs = pair(theirs=paper_certificate(3), known=False, east=east)
    catalogs["WEST"] = apply_changes(catalogs["WEST"], [certificate("Shop", public_half(clerk, "Warehouse"))])
    assert end(asked(catalogs)) == ("discarded", "EAST/Store", 28056)


def test_the_owner_of_the_certificate_may_send_where_public_may_not():
    """Full security sends as a user, anonymous security as public."""
    guarded = [sending(PermissionVerb.REVOKE, "public"), sending(PermissionVerb.GRANT, "Customer")]
    assert lights(asked(pair(east=guarded))) == GREEN
    assert end(asked(pair(east=guarded, binding="anonymous"))) == ("refused", "EAST/Store", 8494)
    assert end(asked(pair(east=guarded, binding="none"))) == ("refused", "EAST/Store", 8494)


def test_a_certificate_expires_between_two_questions():
    catalogs = pair(ours=paper_certificate(1, expires_at=NOW + 10.0))
    flow = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
    numbers = [ask(catalogs, flow, at=NOW + seconds).legs[0].ways[0].number for seconds in (0.0, 20.0)]
    assert [None if each is None else each.number for each in numbers] == [None, 28025]
    assert numbers[1].text == "The certificate of user 'dbo' has expired"
    (change,) = Evaluation(catalogs, [flow], at=NOW).changes_to(catalogs, at=NOW + 20.0)
    assert (change.before.number, change.after.number) == (None, 28025)


def test_the_answer_names_whom_it_blames_and_the_cure():
    catalogs = pair(ours=None)
    flow = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
    answer = ask(catalogs, flow, at=NOW)
    number = answer.legs[0].ways[0].number
    assert "'dbo'" in number.text
    assert number.cure
    assert any("ToStock" in line for line in answer.legs[0].ways[0].hops[0].proof)


# ── within one instance ──────────────────────────────────────────────────────────────────────────────────────────────
def within(*keyed):
    changes = [
        DatabaseCreated(database="Store", broker_instance=OTHER),
        QueueCreated(database="Store", queue=Queue("dbo.Stock")),
        ServiceCreated(database="Store", service=Service("Stock", "dbo.Stock", (DEFAULT_CONTRACT,))),
        *(MasterKeyCreated(database=name, master_key=KEY) for name in keyed),
    ]
    return estate(apply_changes(shop(), changes))


def test_two_databases_of_one_instance_need_a_master_key_each():
    assert end(asked(within(), encryption=True)) == ("delayed", "WEST/Store", 28050)
    assert end(asked(within("Shop"), encryption=True)) == ("delayed", "WEST/Store", 28051)
    assert lights(asked(within("Shop", "Store"), encryption=True)) == GREEN
    assert lights(asked(within())) == GREEN


# ── endpoints ────────────────────────────────────────────────────────────────────────────────────────────────────────
def logged_in(*, west=(), east=(), owner="Peer", granted=True, one=OURS, other=THEIRS):
    """Both endpoints show a certificate of `master`, and know the other's by a user with a login."""
    catalogs = estate(shop(to("TCP://east:4022")), store())
    for name, own, far, more in (("WEST", one, other, west), ("EAST", other, one, east)):
        changes = [
            MasterKeyCreated(database="master", master_key=KEY),
            certificate("master", own),
            EndpointAltered(name="Broker", authentication=f"CERTIFICATE [{own.name}]"),
            LoginCreated(login=Login("Peer")),
            UserCreated(database="master", user=User("Peer", login="Peer")),
            certificate("master", public_half(far, owner)),
        ]
        if granted:
            changes.append(ConnectPermissionSet(name="Broker", verb=PermissionVerb.GRANT, grantee="Peer"))
        catalogs[name] = apply_changes(catalogs[name], [*changes, *more])
    return catalogs


def denied():
    return ConnectPermissionSet(name="Broker", verb=PermissionVerb.DENY, grantee="Peer")


def test_endpoints_that_know_each_other_connect():
    assert lights(asked(logged_in())) == GREEN


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"east": [denied()]}, 9752),
        ({"west": [denied()]}, 28034),
        ({"east": [CertificateDropped(database="master", name=OURS.name)]}, 9751),
        ({"west": [CertificateDropped(database="master", name=THEIRS.name)]}, 28036),
        ({"one": paper_certificate(1, **OLD)}, 9751),
        ({"other": paper_certificate(2, **OLD)}, 28035),
        ({"east": [EndpointAltered(name="Broker", authentication="WINDOWS")]}, 9758),
        ({"east": [EndpointAltered(name="Broker", encryption="DISABLED")]}, 9758),
        ({"east": [EndpointAltered(name="Broker", encryption="REQUIRED ALGORITHM RC4")]}, 9758),
    ],
)
def test_a_login_that_fails_is_shown_as_its_sender_shows_it(fields, number):
    assert end(asked(logged_in(**fields))) == ("unreachable", "WEST", number)


def test_the_reason_of_a_failed_login_is_named():
    flow = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
    ours = ask(logged_in(west=[denied()]), flow, at=NOW).legs[0].ways[0].number
    assert ours.text == "The handshake failed: 'Peer' may not connect to the endpoint"
    theirs = ask(logged_in(east=[denied()]), flow, at=NOW).legs[0].ways[0].number
    assert theirs.why == "28034: The handshake failed: 'Peer' may not connect to the endpoint"
    assert theirs.cure == ours.cure
    german = ask(logged_in(east=[denied()]), flow, at=NOW, language="de").legs[0].ways[0].number
    assert german.why.startswith("28034: ")
    assert german.why != theirs.why


def test_verdicts_of_all_flows_know_it_too():
    """Those of one flow by itself, and what a change makes of them."""
    flow = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
    numbers = [
        FlowVerdicts(WatchedSnapshot(catalogs, at=NOW)).of(flow).number
        for catalogs in (pair(), pair(ours=None), logged_in(east=[denied()]))
    ]
    assert numbers == [None, 9731, 9752]
