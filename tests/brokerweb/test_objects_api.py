"""Lists of objects and edits by form: the same rows live, in a change set and after it is applied."""

import itertools

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.topology.listing import SORTS, Kind
from brokerweb.topology.models import Decision, Estate, ListedObject
from brokerweb.topology.selectors import listing
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.listing import ListAsked, ObjectList
from brokerweb.topology.services.listing import listing_ensure
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.support.each import for_each

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
OBJECTS = f"{ESTATE}/objects"


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


def begin(client):
    assert client.ask("POST", f"{ESTATE}/change-sets", {}).status_code == 201


def listed(client, kind, query=""):
    answer = client.ask("GET", f"{OBJECTS}/{kind}{query}")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def names(page):
    return [(each["instance"], each["database"], each["name"]) for each in page["items"]]


def make(client, kind, name, fields=None, database="Ventes", query="", **more):
    body = {"instance": "PARIS", "database": database, "name": name, "fields": fields or {}, **more}
    return client.ask("POST", f"{OBJECTS}/{kind}{query}", body)


def edit(client, kind, body, query=""):
    return client.decide(f"{OBJECTS}/{kind}/edits{query}", body)


def named(*found):
    return [{"instance": "PARIS", "database": "Ventes", "name": name} for name in found]


def routes(client, count, query=""):
    changes = [
        {
            "change": "route-created",
            "database": "Ventes",
            "route": {"name": f"r{number:02}", "address": {"type": "local"}, "service_name": f"//é/{number % 3}"},
        }
        for number in range(count)
    ]
    answer = client.decide(f"{ESTATE}/changes{query}", {"summary": "Routes", "changes": {"PARIS": changes}})
    assert answer.status_code == 200, answer.json()


@pytest.fixture(params=["few", pytest.param("many", marks=pytest.mark.slow), "many in a change set"])
def amount(request, monkeypatch):
    """Lists choose how they read by the number of rows: each way is taken, without the rows."""
    if request.param != "few":
        monkeypatch.setattr(listing, "SORTED_MAX", 0)
        monkeypatch.setattr(listing, "SKIPPED_MAX", 1)
    if request.param == "many in a change set":
        monkeypatch.setattr(listing, "EXCLUDED_MAX", 0)


def every_object(estate_name="paire"):
    """Instance, key and definition of every listed object."""
    return {
        (row.instance.name, row.kind, row.database_key, row.key): row.value
        for row in ListedObject.objects.select_related("instance").filter(estate__name=estate_name)
    }


def every_object_of_the_catalogs():
    return {
        (name, key.kind.value, key.database, key.name): engine.revisions.value_to_json(found).decode()
        for name, catalog in estate_catalogs(Estate.objects.get(name="paire")).items()
        for key, found in engine.revisions.objects_of(catalog).items()
    }


def test_what_is_listed_is_what_the_catalogs_hold_after_every_kind_of_change(editor):
    assert every_object() == every_object_of_the_catalogs()
    routes(editor, 5)
    assert (
        edit(
            editor, "route", {"action": "alter", "objects": named("r01"), "patch": {"address": "TCP://x:1"}}
        ).status_code
        == 200
    )
    assert edit(editor, "route", {"action": "drop", "objects": named("r02")}).status_code == 200
    assert (
        edit(
            editor,
            "database",
            {"action": "drop", "objects": [{"instance": "LYON", "database": "Stock", "name": "Stock"}]},
        ).status_code
        == 200
    )
    assert every_object() == every_object_of_the_catalogs()


def test_instances_of_before_there_were_lists_are_listed_when_somebody_looks(editor):
    ListedObject.objects.all().delete()
    assert listed(editor, "route")["total"] > 0
    assert every_object() == every_object_of_the_catalogs()


def test_a_change_of_an_instance_that_is_not_listed_lists_all_of_it(editor):
    ListedObject.objects.filter(instance__name="PARIS").delete()
    routes(editor, 1)
    assert every_object() == every_object_of_the_catalogs()


def test_text_is_found_without_accents_and_letter_case(editor):
    assert names(listed(editor, "service", "?text=RECEPTION")) == [("LYON", "Stock", "//test/Réception")]
    assert names(listed(editor, "route", "?service=reception&database=ventes")) == [("PARIS", "Ventes", "vers_lyon")]
    assert listed(editor, "route", "?text=100%25")["total"] == 0


def test_pages_together_are_the_list_in_every_order(editor, amount):
    routes(editor, 17)

    @for_each("sort, descending", itertools.product(SORTS, ("false", "true")))
    def check(sort, descending):
        whole = names(listed(editor, "route", f"?sort={sort}&descending={descending}&rows=500"))
        query = f"?sort={sort}&descending={descending}&rows=9"
        count = listed(editor, "route", query)["pages"]
        assert listed(editor, "route", f"{query}&page={count + 7}") == listed(editor, "route", f"{query}&page={count}")
        pages = [names(listed(editor, "route", f"{query}&page={page}")) for page in range(1, count + 1)]
        assert list(itertools.chain(*pages)) == whole
        query += "&text=r"
        pages = [names(listed(editor, "route", f"{query}&page={page}")) for page in range(1, count + 1)]
        assert list(itertools.chain(*pages)) == whole
        assert len(set(whole)) == len(whole) == 17 + listed(editor, "route", "?text=vers")["total"] + 4

    check()


def test_a_list_in_a_change_set_is_the_list_after_it_is_applied(editor, amount):
    routes(editor, 9)
    begin(editor)
    routes_in_draft = "?change_set=1"
    assert make(editor, "route", "a", {"address": "TCP://a:1"}, query=routes_in_draft).status_code == 201
    assert (
        make(editor, "route", "zz", {"address": "LOCAL", "lifetime_seconds": 60}, query=routes_in_draft).status_code
        == 201
    )
    patch = {"service_name": "//é/9", "address": "TCP://b:2"}
    changed = edit(
        editor, "route", {"action": "alter", "objects": named("r03", "r07"), "patch": patch}, routes_in_draft
    )
    assert changed.status_code == 200, changed.json()
    assert edit(editor, "route", {"action": "drop", "objects": named("r05")}, routes_in_draft).status_code == 200

    def look(change_set, sort, descending):
        asked = ListAsked(kind=Kind.ROUTE, sort=sort, is_descending=descending)
        found = ObjectList("paire", asked, change_set)
        pages = [found.slice(begin, begin + 3) for begin in range(0, found.total, 3)]
        assert [each.row.pk for each in found.all()] == [each.row.pk for page in pages for each in page]
        return [
            (each.row.place, each.row.name, each.row.value)
            for page in pages
            for each in page
            if each.effect != "remove"
        ]

    orders = list(itertools.product(SORTS, (False, True)))
    drafted = {order: look(1, *order) for order in orders}
    tag = editor.ask("GET", f"{ESTATE}/change-sets/1")["ETag"]
    assert editor.ask("POST", f"{ESTATE}/change-sets/1/apply", {}, If_Match=tag).status_code == 200
    live = {order: look(None, *order) for order in orders}
    assert {order: sorted(rows) for order, rows in drafted.items()} == {
        order: sorted(rows) for order, rows in live.items()
    }
    for order in [("name", False), ("name", True)]:
        assert [name for _, name, _ in drafted[order]] == [name for _, name, _ in live[order]]


def test_a_change_set_marks_what_it_changes(editor):
    begin(editor)
    make(editor, "queue", "dbo.Neu", query="?change_set=1")
    edit(
        editor,
        "queue",
        {"action": "alter", "objects": named("dbo.File"), "patch": {"is_enabled": False}},
        "?change_set=1",
    )
    page = listed(editor, "queue", "?change_set=1&changed=true")
    assert [(each["name"], each["effect"], each["fields"]["is_enabled"]) for each in page["items"]] == [
        ("dbo.File", "change", False),
        ("dbo.Neu", "add", True),
    ]
    assert listed(editor, "queue", "?changed=true")["total"] == 0
    edit(editor, "database", {"action": "drop", "objects": named("Ventes")}, "?change_set=1")
    gone = listed(editor, "service", "?change_set=1&instance=paris")
    assert [(each["name"], each["effect"]) for each in gone["items"]] == [("//test/Commandes", "remove")]


def test_usage_counts_who_names_an_object(editor):
    assert listed(editor, "queue", "?instance=PARIS")["items"][0]["used_by"] == 1
    assert listed(editor, "service", "?text=reception")["items"][0]["used_by"] == 1
    begin(editor)
    make(editor, "route", "autre", {"address": "LOCAL", "service_name": "//test/Réception"}, query="?change_set=1")
    edit(editor, "service", {"action": "drop", "objects": named("//test/Commandes")}, "?change_set=1")
    assert listed(editor, "service", "?text=reception&change_set=1")["items"][0]["used_by"] == 2
    assert listed(editor, "queue", "?instance=PARIS&change_set=1")["items"][0]["used_by"] == 0


def test_an_object_has_its_users_and_its_tsql(editor):
    query = "?instance=PARIS&database=Ventes&name=dbo.File"
    found = editor.ask("GET", f"{OBJECTS}/queue/object{query}").json()
    assert [each["name"] for each in found["users"]] == ["//test/Commandes"]
    assert found["tsql"].startswith("CREATE QUEUE ")
    assert editor.ask("GET", f"{OBJECTS}/queue/object?instance=PARIS&database=Ventes&name=dbo.No").status_code == 404


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in (Kind.MASTER_KEY, Kind.CERTIFICATE)])
def test_every_listed_object_can_be_looked_at(editor, kind):
    for each in listed(editor, kind.value)["items"]:
        home = "" if each["database"] is None else f"&database={each['database']}"
        answer = editor.ask(
            "GET", f"{OBJECTS}/{kind.value}/object?instance={each['instance']}{home}&name={each['name']}"
        )
        assert answer.status_code == 200, answer.json()


def test_many_are_edited_as_one_step_with_a_result_for_each(editor):
    routes(editor, 12)
    begin(editor)
    body = {
        "action": "alter",
        "filter": {"text": "r", "database": "Ventes", "service": "//e/"},
        "patch": {"lifetime_seconds": 600},
    }
    preview = edit(editor, "route", {**body, "dry_run": True}, "?change_set=1").json()
    assert (preview["total"], preview["changed"], preview["refused"], preview["sequence"]) == (12, 12, 0, None)
    assert {field["name"] for row in preview["rows"] for field in row["fields"]} == {"expires_at"}
    done = edit(editor, "route", body, "?change_set=1").json()
    assert (done["changed"], done["sequence"]) == (12, 1)
    assert listed(editor, "route", "?change_set=1&changed=true")["total"] == 12
    assert editor.ask("POST", f"{ESTATE}/change-sets/1/undo", {}).status_code == 200
    assert listed(editor, "route", "?change_set=1&changed=true")["total"] == 0
    assert (
        Decision.objects.get(change_set__number=1, summary__startswith="Change").summary == "Change 12 routes: LIFETIME"
    )


def test_what_is_refused_is_told_by_row_and_can_be_left(editor):
    make(editor, "queue", "dbo.Libre")
    body = {"action": "drop", "objects": named("dbo.File", "dbo.Libre")}
    preview = edit(editor, "queue", {**body, "dry_run": True}).json()
    assert [(row["name"], row["outcome"]) for row in preview["rows"]] == [
        ("dbo.File", "refused"),
        ("dbo.Libre", "drop"),
    ]
    code = preview["rows"][0]["problem"]["code"]
    assert code == 3716
    german = editor.ask("POST", f"{OBJECTS}/queue/edits", {**body, "dry_run": True}, Accept_Language="de").json()[
        "rows"
    ][0]["problem"]
    assert german["cure"] == "Ändern oder löschen Sie zuerst, was es benutzt."
    refused = edit(editor, "queue", body)
    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert listed(editor, "queue", "?text=libre")["total"] == 1
    assert edit(editor, "queue", {**body, "leave_refused": True}).json()["changed"] == 1
    assert listed(editor, "queue", "?text=libre")["total"] == 0
    assert listed(editor, "queue", "?text=file&instance=PARIS")["total"] == 1


@pytest.mark.parametrize(
    ("kind", "patch", "status", "code", "pointer"),
    [
        ("route", {"address": "TCP://lyon"}, 422, 9744, "/patch/address"),
        ("route", {"address": 5}, 400, "malformed", "/patch/address"),
        ("route", {"colour": "red"}, 400, "malformed", "/patch/colour"),
        ("queue", {"is_enabled": "no"}, 400, "malformed", "/patch/is_enabled"),
        ("service", {"queue": "dbo.Nulle"}, None, None, "/patch/queue"),
        ("contract", {"uses": []}, 400, "malformed", "/patch/uses"),
    ],
)
def test_what_is_wrong_with_a_field_points_at_it(editor, kind, patch, status, code, pointer):
    name = {"route": "vers_lyon", "queue": "dbo.File", "service": "//test/Commandes", "contract": "//test/Commander"}[
        kind
    ]
    answer = edit(editor, kind, {"action": "alter", "objects": named(name), "patch": patch})
    problem = answer.json()
    assert answer.status_code == (status or answer.status_code) >= 400
    assert problem["pointer"] == pointer, problem
    assert code in (None, problem["code"])


CREATED = [
    ("message-type", "//neu/Typ", {"validation": "WELL_FORMED_XML"}),
    ("contract", "//neu/Vertrag", {"uses": [{"message_type": "//test/Commande", "sent_by": "ANY"}]}),
    ("queue", "dbo.Neu", {"activation": {"procedure_name": "dbo.p", "max_queue_readers": 2, "execute_as": "SELF"}}),
    ("service", "//neu/Dienst", {"queue": "dbo.File", "contracts": ["//test/Commander"]}),
    ("route", "neu", {"address": "TCP://neu:4022", "lifetime_seconds": 60}),
    ("user", "Neu", {}),
    ("priority", "neu", {"level": 7, "local_service": "//test/Commandes"}),
    (
        "event-notification",
        "neu",
        {"queue": "dbo.File", "events": ["QUEUE_ACTIVATION"], "to_service": "//test/Commandes"},
    ),
    ("database", "Neu", {}),
    ("login", "neu", {}),
    ("instance", "NEU", {"host_names": ["neu.example"]}),
]


@pytest.mark.parametrize("where", ["", "?change_set=1"])
@pytest.mark.parametrize(("kind", "name", "fields"), CREATED)
def test_every_kind_that_has_a_form_can_be_made(editor, kind, name, fields, where):
    begin(editor)
    database = None if kind in ("login", "instance") else name if kind == "database" else "Ventes"
    tried = make(editor, kind, name, fields, database, where, dry_run=True)
    assert (tried.status_code, tried.json().get("revision")) == (200, None), tried.json()
    answer = make(editor, kind, name, fields, database, where)
    assert answer.status_code == 201, answer.json()
    found = [each for each in listed(editor, kind, f"{where or '?'}&text={name}")["items"] if each["name"] == name]
    assert [each["effect"] for each in found] == ["add" if where else None]
    assert make(editor, kind, name, fields, database, where).status_code in (400, 409, 422)
    if not where:
        assert every_object() == every_object_of_the_catalogs()


def test_a_file_holds_the_whole_list_and_no_formulas(editor):
    make(editor, "message-type", "=1+1")
    answer = editor.get(f"/api/v1{OBJECTS}/message-type?format=csv")
    lines = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()
    assert lines[0] == "instance,database,name,validation,schema_collection,in_change_set"
    assert "PARIS,Ventes,'=1+1,NONE,," in lines
    for kind in Kind:
        answer = editor.get(f"/api/v1{OBJECTS}/{kind.value}?format=csv")
        lines = b"".join(answer.streaming_content).decode().splitlines()
        assert len(lines) == 1 + listed(editor, kind.value)["total"]


def test_who_may_only_look_does_not_edit(api_as):
    viewer = api_as(Role.VIEWER)
    assert listed(viewer, "route")["total"] > 0
    assert make(viewer, "user", "Neu").status_code == 403
    assert edit(viewer, "route", {"action": "drop", "objects": named("vers_lyon")}).status_code == 403


def test_counts_by_kind_follow_the_change_set(editor):
    before = editor.ask("GET", OBJECTS).json()
    begin(editor)
    make(editor, "user", "Neu", query="?change_set=1")
    assert editor.ask("GET", f"{OBJECTS}?change_set=1").json() == {**before, "user": before["user"] + 1}


def test_an_unknown_estate_or_parameter_is_named(editor):
    assert editor.ask("GET", "/estates/none/objects/route").status_code == 404
    assert editor.ask("GET", f"{OBJECTS}/route?colour=red").status_code == 400
    listing_ensure("none")


def test_event_notifications_of_one_name_are_told_apart_by_their_queues(editor):
    make(editor, "queue", "dbo.Neu", {})
    fields = {"events": ["BROKER_QUEUE_DISABLED"], "to_service": "//test/Commandes"}
    for queue in ("dbo.Neu", "dbo.File"):
        answer = make(editor, "event-notification", "neu", {"queue": queue, **fields}, "Ventes", "")
        assert answer.status_code == 201, answer.json()
    assert make(editor, "event-notification", "NEU", {"queue": "dbo.neu", **fields}, "Ventes", "").status_code >= 400
    assert every_object() == every_object_of_the_catalogs()
    names = [each["name"] for each in listed(editor, "event-notification", "?text=neu")["items"]]
    assert sorted(names) == ["neu", "neu ON QUEUE dbo.Neu"]
    gone = edit(editor, "event-notification", {"action": "drop", "objects": named("neu ON QUEUE dbo.Neu")})
    assert gone.status_code == 200, gone.json()
    (left,) = listed(editor, "event-notification", "?text=neu&target=dbo.File")["items"]
    assert left["name"] == "neu"
    assert every_object() == every_object_of_the_catalogs()
