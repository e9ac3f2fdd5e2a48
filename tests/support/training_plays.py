"""Ways through the scenarios that their files do not tell: what a cheat does, and other repairs that are right."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.training.scenario import Statements, Step, Wait
from engine.whatif.faults import Fault, FaultKind


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody does, and what it is worth at most."""

    scenario: str
    does: str
    steps: tuple[Step | Fault, ...]
    score: int
    """Exactly so many per cent."""

    def __str__(self) -> str:
        return f"{self.scenario}: {self.does}"


def at(place: str, sql: str) -> Statements:
    """T-SQL at INSTANCE/DATABASE."""
    instance, database = place.split("/")
    return Statements(instance=InstanceName(instance), database=DatabaseName(database), sql=sql)


def wait(seconds: float) -> Wait:
    return Wait(seconds=seconds)


def route(name: str, address: str, service: str = "", broker: str = "") -> str:
    """CREATE ROUTE; without a service it is for every one."""
    said = [f"SERVICE_NAME = N'{service}'"] if service else []
    said += [f"BROKER_INSTANCE = N'10000000-0000-4000-8000-000000000{broker}'"] if broker else []
    said.append(f"ADDRESS = N'{address}'")
    return f"CREATE ROUTE [{name}] WITH {', '.join(said)};"


def service(name: str, contract: str, message_type: str = "") -> str:
    """A service of one's own that looks like the real one."""
    made = f"CREATE MESSAGE TYPE [{message_type}]; CREATE CONTRACT [{contract}] ([{message_type}] SENT BY ANY);"
    return (
        f"{made if message_type else ''} CREATE QUEUE dbo.[Fausse];"
        f" CREATE SERVICE [{name}] ON QUEUE dbo.[Fausse] ([{contract}]); GRANT SEND ON SERVICE::[{name}] TO [public];"
    )


def broker(database: str, option: str) -> str:
    return f"ALTER DATABASE [{database}] SET {option} WITH ROLLBACK IMMEDIATE;"


def ending(where: str = "", end: str = "END CONVERSATION @h WITH CLEANUP;") -> str:
    """Every conversation of a database, one by one."""
    rows = f"FROM sys.conversation_endpoints {where}"
    return (
        f"DECLARE @h uniqueidentifier; WHILE EXISTS (SELECT * {rows})"
        f" BEGIN SELECT TOP (1) @h = conversation_handle {rows}; {end} END;"
    )


FR: Final = "//exemple.fr"
RECEPTION, GUICHET = f"{FR}/Commandes/Réception", f"{FR}/Ventes/Guichet"
CHECKS, INVOICES = "//beispiel.de/Lager/Größenprüfung", "//beispiel.de/Buchhaltung/Rechnungen"
LYON, PARIS, KOELN, MUENCHEN = (f"TCP://{host}:4022" for host in ("lyon", "paris", "koeln", "muenchen"))
ORDERS: Final = f"{FR}/Commandes"
PRUEF: Final = "//beispiel.de/Lager/Prüf"
QUEUE: Final = "dbo.[Commandes reçues]"
ON: Final = f"ALTER QUEUE {QUEUE} WITH STATUS = ON;"
POISON: Final = (
    f"DECLARE @h uniqueidentifier; SELECT TOP (1) @h = conversation_handle FROM {QUEUE}"
    f" WHERE message_type_name = N'{ORDERS}/Annulation';"
)
MIRRORED: Final = (
    "BROKER_INSTANCE = N'10000000-0000-4000-8000-000000000802',"
    " ADDRESS = N'TCP://lyon:4022', MIRROR_ADDRESS = N'TCP://berlin:4022';"
)
ENTRY: Final = at("LYON/msdb", route("E", "LOCAL", INVOICES, "802"))
TO_BOOKS: Final = "ALTER ROUTE [Comptabilité allemande] WITH"
FAILBACK: Final = Fault(kind=FaultKind.PARTNER, instance=InstanceName("LYON"), database=DatabaseName("Buchhaltung"))
DROP_GUICHET: Final = at("PARIS/Ventes", f"DROP SERVICE [{GUICHET}];")


def _play(scenario: str, score: int, does: str, *steps: Step | Fault) -> Play:
    return Play(scenario=scenario, does=does, steps=steps, score=score)


def _first_route() -> list[Play]:
    name, ventes = "first-route", "PARIS/Ventes"
    return [
        _play(name, 0, "drops its sender", DROP_GUICHET, wait(120)),
        _play(name, 0, "tears out all conversations", at(ventes, ending())),
        _play(name, 0, "takes a new broker id", at("PARIS/master", broker("Ventes", "NEW_BROKER"))),
        _play(name, 0, "switches the broker off", at("PARIS/master", broker("Ventes", "DISABLE_BROKER")), wait(60)),
        _play(name, 0, "drops the database", at("PARIS/master", "DROP DATABASE Ventes;")),
        _play(name, 0, "another port", at(ventes, route("R", "TCP://lyon:4023", RECEPTION)), wait(120)),
        _play(name, 0, "small letters", at(ventes, route("R", LYON, RECEPTION.lower())), wait(120)),
        _play(name, 100, "a route for all", at(ventes, route("R", LYON)), wait(120)),
        _play(name, 100, "with the broker id", at(ventes, route("R", LYON, RECEPTION, "103")), wait(120)),
    ]


def _name_case() -> list[Play]:
    name, sales = "name-case", "HAMBURG/Vertrieb"
    altered = "ALTER ROUTE lager_groessenpruefung WITH SERVICE_NAME ="
    renamed = f"CREATE SERVICE [{CHECKS.lower()}] ON QUEUE dbo.[Prüfaufträge] ([{PRUEF}vertrag]);"
    return [
        _play(
            name,
            0,
            "a service in the house",
            at(sales, service(CHECKS, f"{PRUEF}vertrag") + route("L", "LOCAL", CHECKS)),
            wait(120),
        ),
        _play(name, 0, "stops the sender", at(sales, "ALTER QUEUE dbo.[Ergebnisse] WITH STATUS = OFF;"), wait(120)),
        _play(name, 0, "half of the letters", at(sales, f"{altered} N'//beispiel.de/Lager/größenprüfung';"), wait(120)),
        _play(name, 0, "renames the service", at("MUENCHEN/Lager", f"DROP SERVICE [{CHECKS}]; {renamed}"), wait(120)),
        _play(name, 100, "a second route", at(sales, route("R", MUENCHEN, CHECKS)), wait(120)),
        _play(name, 100, "a route for all", at(sales, route("R", MUENCHEN)), wait(120)),
        _play(
            name,
            100,
            "drops and creates",
            at(sales, "DROP ROUTE lager_groessenpruefung;" + route("R", MUENCHEN, CHECKS)),
            wait(120),
        ),
    ]


def _missing_return_route() -> list[Play]:
    name, archives = "missing-return-route", "LYON/Archives"
    new_ids = [
        at("PARIS/master", broker("Ventes", "NEW_BROKER")),
        at("LYON/master", broker("Archives", "NEW_BROKER")),
    ]
    dropped = [at("PARIS/master", "DROP DATABASE Ventes;"), at("LYON/master", "DROP DATABASE Archives;")]
    mended = at(archives, route("R", PARIS, GUICHET))
    return [
        _play(name, 0, "new broker ids", *new_ids),
        _play(name, 0, "drops both databases", *dropped),
        _play(name, 60, "mends, and tears out what waits", mended, at("PARIS/Ventes", ending()), wait(60)),
        _play(name, 100, "a route for all", at(archives, route("R", PARIS)), wait(180)),
        _play(name, 100, "with the broker id", at(archives, route("R", PARIS, GUICHET, "301")), wait(75)),
    ]


def _hardened_msdb() -> list[Play]:
    name, msdb = "hardened-msdb", "LYON/msdb"
    all_in = at(msdb, route("A", "LOCAL"))
    closed = f"REVOKE SEND ON SERVICE::[{FR}/Entrepôt/Inventaire] FROM [public];"
    return [
        _play(name, 47, "all in, SEND revoked", all_in, at("LYON/Entrepôt", closed), wait(180)),
        _play(name, 0, "by TCP to itself", at(msdb, route("A", LYON, RECEPTION)), wait(180)),
        _play(name, 0, "at the wrong gate", at("PARIS/msdb", route("A", "LOCAL", RECEPTION)), wait(180)),
        _play(name, 100, "with the broker id", at(msdb, route("A", "LOCAL", RECEPTION, "402")), wait(75)),
    ]


def _forwarding_off() -> list[Play]:
    name, relay = "forwarding-off", "HUB/master"
    fake = service(CHECKS, f"{PRUEF}vertrag")
    at_hub = service(CHECKS, f"{PRUEF}vertrag", f"{PRUEF}auftrag") + route("R", PARIS, GUICHET)
    again = (
        "DROP ENDPOINT Relais; CREATE ENDPOINT Relais STATE = STARTED AS TCP (LISTENER_PORT = 4022)"
        " FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED, MESSAGE_FORWARDING = ENABLED);"
    )
    local = at("PARIS/Ventes", f"{fake} ALTER ROUTE [Vers Berlin] WITH ADDRESS = N'LOCAL';")
    routed = at("HUB/msdb", "ALTER ROUTE [Weiter nach Berlin] WITH ADDRESS = N'LOCAL';")
    return [
        _play(name, 0, "drops its sender", DROP_GUICHET, wait(60)),
        _play(name, 0, "a service in Paris", local, wait(180)),
        _play(name, 0, "a service at HUB", at("HUB/Zeiterfassung", at_hub), routed, wait(180)),
        _play(name, 100, "a new endpoint", at(relay, again), wait(180)),
    ]


def _routing_loop() -> list[Play]:
    name, msdb = "routing-loop", "METZ/msdb"
    turned = "ALTER ROUTE [Factures] WITH ADDRESS ="
    straight = at("PARIS/Ventes", route("M", "TCP://metz:4022", INVOICES))
    lost = "DROP ROUTE [Retours vers Paris];"
    return [
        _play(name, 0, "drops its sender", DROP_GUICHET, wait(60)),
        _play(name, 0, "to Köln from Paris", at("PARIS/Ventes", route("M", KOELN, INVOICES)), wait(240)),
        _play(name, 0, "the goal is here", at(msdb, f"{turned} N'LOCAL';"), wait(240)),
        _play(name, 90, "mends, and breaks the returns", at(msdb, f"{turned} N'{KOELN}'; {lost}"), wait(240)),
        _play(name, 100, "a route for all", at(msdb, "DROP ROUTE [Factures];" + route("F", KOELN)), wait(240)),
        _play(name, 100, "past Lille", straight, at(msdb, f"{turned} N'TCP://koeln.beispiel.de:4022';"), wait(240)),
    ]


def _broker_disabled() -> list[Play]:
    name, wien = "broker-disabled-after-restore", "WIEN/master"
    off = broker("Buchhaltung_Revision", "DISABLE_BROKER")
    new = broker("Buchhaltung_Revision", "NEW_BROKER")
    on = broker("Buchhaltung", "ENABLE_BROKER")
    other = "ALTER ROUTE [Buchhaltung in Wien] WITH BROKER_INSTANCE = N'10000000-0000-4000-8000-000000000799';"
    gone = at("WIEN/Buchhaltung_Revision", "DROP SERVICE [//beispiel.at/Buchhaltung/Rechnungen];")
    errors = broker("Buchhaltung", "ERROR_BROKER_CONVERSATIONS")
    return [
        _play(name, 0, "drops the original", at(wien, "DROP DATABASE Buchhaltung;"), wait(60)),
        _play(name, 0, "drops the service of the copy", gone, wait(60)),
        _play(name, 0, "another id in Graz", at("GRAZ/Verkauf", other), wait(60)),
        _play(name, 100, "conversations end in errors", at(wien, off + errors), wait(60)),
        _play(name, 100, "a new id for the copy, and off", at(wien, new + off + on), wait(60)),
    ]


def _silent_queue() -> list[Play]:
    name, lager = "silent-queue", "LYON/Entrepôt"
    aside = (
        f"{ON} BEGIN TRANSACTION; DECLARE @h uniqueidentifier; RECEIVE TOP (1) @h = conversation_handle FROM {QUEUE};"
        " END CONVERSATION @h WITH ERROR = 50001 DESCRIPTION = N'Plus tard'; COMMIT;"
    )
    return [
        _play(name, 0, "takes a new broker id", at("LYON/master", broker("Entrepôt", "NEW_BROKER")), wait(90)),
        _play(name, 0, "switches on and runs away", at(lager, ON)),
        _play(name, 40, "tears everything out", at(lager, f"{ending()} {ON}"), wait(90)),
        _play(name, 0, "drops the sender", DROP_GUICHET, wait(60)),
        _play(name, 20, "the poison out, and not on", at(lager, f"{POISON} END CONVERSATION @h;"), wait(90)),
        _play(name, 100, "ends it without an error", at(lager, f"{POISON} END CONVERSATION @h; {ON}"), wait(90)),
        _play(
            name, 100, "CLEANUP of it alone", at(lager, f"{POISON} END CONVERSATION @h WITH CLEANUP; {ON}"), wait(90)
        ),
        _play(name, 100, "aside, in a transaction", at(lager, aside), wait(90)),
    ]


def _mirror_failover() -> list[Play]:
    name, ventes = "mirror-failover", "PARIS/Ventes"
    made = f"CREATE ROUTE M WITH SERVICE_NAME = N'{INVOICES}', {MIRRORED}"
    dead_end = route("E", "TCP://nowhere:4022", f"{FR}/Archives/Registre")
    open_gate = at("LYON/msdb", f"{route('A', 'LOCAL')} {dead_end}")
    return [
        _play(name, 0, "waits, and fails back", wait(1000), FAILBACK, wait(180)),
        _play(name, 0, "a plain route beside it", at(ventes, route("M", LYON, INVOICES)), ENTRY, wait(1080)),
        _play(
            name, 0, "breaks the mirror", at("LYON/master", "ALTER DATABASE Buchhaltung SET PARTNER OFF;"), wait(1200)
        ),
        _play(name, 80, "the gate open, and a dead end", at(ventes, f"{TO_BOOKS} {MIRRORED}"), open_gate, wait(1080)),
        _play(name, 60, "while the line is still cut", at(ventes, f"{TO_BOOKS} {MIRRORED}"), ENTRY, wait(180)),
        _play(name, 100, "partners the other way round", at(ventes, f"{TO_BOOKS} {MIRRORED}"), ENTRY, wait(1080)),
        _play(
            name,
            100,
            "drops and creates",
            at(ventes, f"DROP ROUTE [Comptabilité allemande]; {made}"),
            ENTRY,
            wait(1080),
        ),
    ]


def _conversation_leak() -> list[Play]:
    name, ventes = "conversation-leak", "PARIS/Ventes"
    loop = (
        "DECLARE @h uniqueidentifier; WHILE 1 = 1 BEGIN SET @h = NULL;"
        " RECEIVE TOP (1) @h = conversation_handle FROM dbo.[Accusés]; IF @h IS NULL BREAK; END CONVERSATION @h; END;"
    )
    every = ending("WHERE state IN ('DI', 'CO')", "END CONVERSATION @h;")
    errors = broker("Ventes", "ERROR_BROKER_CONVERSATIONS")
    return [
        _play(name, 0, "waits for an hour", wait(3600)),
        _play(name, 0, "drops the service", at(ventes, f"DROP SERVICE [{FR}/Ventes/Caisse];"), wait(30)),
        _play(name, 0, "ends everything in errors", at("PARIS/master", errors), wait(30)),
        _play(name, 0, "drops the database", at("PARIS/master", "DROP DATABASE Ventes;"), wait(30)),
        _play(name, 0, "ends the living too", at(ventes, every), wait(30)),
        _play(name, 100, "reads the queue and ends", at(ventes, loop), wait(30)),
        _play(name, 100, "CLEANUP of what has ended", at(ventes, ending("WHERE state = 'DI'")), wait(30)),
    ]


PLAYS: Final = (
    *_first_route(),
    *_name_case(),
    *_missing_return_route(),
    *_hardened_msdb(),
    *_forwarding_off(),
    *_routing_loop(),
    *_broker_disabled(),
    *_silent_queue(),
    *_mirror_failover(),
    *_conversation_leak(),
)
