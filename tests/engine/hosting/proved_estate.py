"""Instances that prove themselves: each defined by T-SQL as an administrator would write it, hosted over real TCP.

PARIS (db ventes) ──▶ LYON (db stock), in between HUB where a test wants it. Keys are made by the deployment's vault;
what one instance gets of another is the statement with the public half of its certificate.
"""

import time
from uuid import uuid4

from engine.core.catalog.difference import diff
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import new_instance
from engine.core.catalog.security import Certificate
from engine.core.exchange.commands import ApplyCatalog
from engine.core.exchange.events import BrokerLoginAudited
from engine.core.exchange.replies import CatalogRevised
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.vocabulary.identifiers import MASTER, MSDB
from engine.core.vocabulary.messages import LoginEnded
from engine.core.vocabulary.moment import UtcTime
from engine.hosting import client
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.keys import key_vault
from engine.tsql.compile import plan_import
from engine.tsql.export_certificate import certificate_script
from engine.tsql.parse import parse_script
from tests.engine.hosting.two_instances import ESTATE, LYON, PACE, PARIS, VENTES, ask

HUB = "HUB"
CERTIFICATE_ALONE = "AUTHENTICATION = CERTIFICATE [own], ENCRYPTION = REQUIRED ALGORITHM AES"

_CLIENT = """
CREATE DATABASE ventes;
GO
USE ventes;
CREATE QUEUE dbo.Courrier;
CREATE SERVICE [//exemple/Commandes] ON QUEUE dbo.Courrier ([DEFAULT]);
CREATE ROUTE VersLAutre WITH SERVICE_NAME = N'//exemple/Entrepôt', ADDRESS = 'TCP://{neighbour}:4022';
"""
_WAREHOUSE = """
CREATE DATABASE stock;
GO
USE stock;
CREATE QUEUE dbo.Courrier;
CREATE SERVICE [//exemple/Entrepôt] ON QUEUE dbo.Courrier ([DEFAULT]);
CREATE ROUTE VersLAutre WITH SERVICE_NAME = N'//exemple/Commandes', ADDRESS = 'TCP://{neighbour}:4022';
"""
_FORWARDER = """
USE msdb;
CREATE ROUTE VersLyon WITH SERVICE_NAME = N'//exemple/Entrepôt', ADDRESS = 'TCP://lyon:4022';
CREATE ROUTE VersParis WITH SERVICE_NAME = N'//exemple/Commandes', ADDRESS = 'TCP://paris:4022';
"""


class ProvedInstance:
    """One hosted instance and the catalog that it has."""

    def __init__(self, name: str) -> None:
        self.name = name
        client.open_instance(ESTATE, name, pace=PACE)
        self.catalog: InstanceCatalog = InstanceCatalog(name=name)
        self._apply(new_instance(name, OperatingSystemEntropy()))

    def run(self, script: str) -> None:
        """Run a script, from `master` on."""
        plan = plan_import(
            [parse_script(script, self.name)],
            {self.name: self.catalog},
            default_instance=self.name,
            now=UtcTime(time.time()),
            entropy=OperatingSystemEntropy(),
            smith=key_vault(),
        )
        assert plan.problems == (), plan.problems
        self._apply(plan.catalogs[self.name], plan.changes.get(self.name))

    def _apply(self, after: InstanceCatalog, changes: tuple[object, ...] | None = None) -> None:
        revision = self.catalog.revision + 1
        command = ApplyCatalog(
            command_id=uuid4(),
            base=self.catalog.revision,
            revision=revision,
            changes=changes if changes is not None else diff(self.catalog, after),
        )
        reply = ask(self.name, command)
        assert isinstance(reply, CatalogRevised), reply
        after.revision = revision
        self.catalog = after

    def certify(self, name: str = "own", *, clause: str = "EXPIRY_DATE = '2040-01-01'") -> None:
        """A certificate of its own in `master`."""
        if self.catalog.databases[MASTER].master_key is None:
            self.run("CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Geheim-1';")
        self.run(f"CREATE CERTIFICATE [{name}] WITH SUBJECT = '{self.name} {name}', {clause};")

    def listen(self, clauses: str = CERTIFICATE_ALONE) -> None:
        """The broker endpoint."""
        self.run(
            "CREATE ENDPOINT Broker STATE = STARTED AS TCP (LISTENER_PORT = 4022) "
            f"FOR SERVICE_BROKER ({clauses}, MESSAGE_FORWARDING = ENABLED);"
        )

    def certificate(self, name: str = "own") -> Certificate:
        """As it is in `master`."""
        return self.catalog.databases[MASTER].certificates[name]

    def know(self, far: "ProvedInstance", certificate: str = "own", *, grants: bool = True) -> None:
        """Take in the public half of a certificate of `far`, and let it connect."""
        user = f"{far.name} user"
        if user not in self.catalog.databases[MASTER].users:
            self.run(
                f"CREATE LOGIN [{far.name} login] WITH PASSWORD = 'Geheim-2', CHECK_POLICY = OFF;"
                f"CREATE USER [{user}] FOR LOGIN [{far.name} login];"
            )
        script = certificate_script(far.certificate(certificate), owner=user)
        self.run(script.replace(f"[{certificate}]", f"[{far.name} {certificate}]", 1))
        if grants:
            self.grant(far)

    def grant(self, far: "ProvedInstance", verb: str = "GRANT", preposition: str = "TO") -> None:
        self.run(f"{verb} CONNECT ON ENDPOINT::Broker {preposition} [{far.name} login];")

    def rows(self, view: str, database: str = MSDB) -> list[dict[str, object]]:
        page = client.read_system_view(ESTATE, self.name, SystemViewQuery(view=view, database=database))
        return [dict(zip((column.name for column in page.columns), row, strict=True)) for row in page.rows]

    def connections(self) -> list[dict[str, object]]:
        """Those that are logged in."""
        return [each for each in self.rows("sys.dm_broker_connections") if each["state_desc"] == "LOGGED_IN"]

    def logins(self) -> list[LoginEnded]:
        """How handshakes have ended, oldest first."""
        events = client.events_after(ESTATE, self.name, 0, 100_000)
        return [event.login for _, event in events if isinstance(event, BrokerLoginAudited)]


def statuses() -> set[int | None]:
    """Why messages wait in PARIS."""
    (ventes,) = (each for each in client.read_view(ESTATE, PARIS, 100).databases if each.name == VENTES)
    return {row.transmission_status_number for row in ventes.transmission_queue}


def defined(name: str, *, neighbour: str = "") -> ProvedInstance:
    """An instance with what it is there for, a certificate and no endpoint."""
    instance = ProvedInstance(name)
    script = {PARIS: _CLIENT, LYON: _WAREHOUSE, HUB: _FORWARDER}[name]
    instance.run(script.format(neighbour=neighbour))
    instance.certify()
    return instance


def pair() -> tuple[ProvedInstance, ProvedInstance]:
    """PARIS and LYON that know each other; both listen."""
    paris, lyon = defined(PARIS, neighbour="lyon"), defined(LYON, neighbour="paris")
    for one, other in ((paris, lyon), (lyon, paris)):
        one.listen()
        one.know(other)
    return paris, lyon
