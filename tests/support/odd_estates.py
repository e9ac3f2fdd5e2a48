"""Random estates with what hardly anybody would plan: senders in msdb and master, services written to under strange
names, routes that end at this very instant, addresses spelled in several ways, host names of two instances at once."""

import msgspec

from engine.core.catalog.changes import BrokerSwitched, HostNamesSet
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.vocabulary.identifiers import MASTER, MSDB
from tests.support.random_estates import FROM, LOCAL, NOW, Maker

SHARED = "shared.example"


def odd_case(seed):
    """What a seed makes: the same always."""
    return _OddMaker(seed).case()


class _OddMaker(Maker):
    def case(self):
        found = super().case()
        kind = self.dice.random()
        if kind < 0.17:
            return self.sent_from(MSDB if kind < 0.12 else MASTER, found)
        flow = found.flow
        if kind < 0.22:
            flow = msgspec.structs.replace(flow, to_service=FROM, broker_instance=None)
        elif kind < 0.25:
            flow = msgspec.structs.replace(flow, to_service=BROKER_CONFIGURATION_SERVICE, broker_instance=None)
        elif kind < 0.3:
            broker = self.catalogs[flow.instance].databases[MSDB].broker_instance
            flow = msgspec.structs.replace(flow, broker_instance=broker)
        return found._replace(flow=flow)

    def sent_from(self, database, found):
        """The same question from a system database, with ways there and back."""
        flow = found.flow
        self.service(flow.instance, database, FROM)
        home = self.catalogs[flow.instance].databases[database]
        if FROM not in home.services:
            return found
        if self.often(80):
            self.route(flow.instance, database, flow.to_service, self.anywhere())
        if self.often(30):
            self.route(flow.instance, database, flow.to_service, LOCAL)
        for name, catalog in self.catalogs.items():
            for target in [each.name for each in catalog.databases.values() if flow.to_service in each.services]:
                if self.often(70):
                    self.route(name, target, FROM, self.address(flow.instance), home.broker_instance)
        return found._replace(flow=msgspec.structs.replace(flow, database=database))

    def disturb(self, names, to_service, ids):
        super().disturb(names, to_service, ids)
        for name in names:
            if self.often(5):
                self.obey(name, BrokerSwitched(database=MSDB, is_enabled=False))
            if self.often(4):
                self.obey(name, HostNamesSet(host_names=(SHARED,)))
            for database, service in ((MSDB, to_service), (MASTER, to_service), (MSDB, FROM)):
                if self.often(5):
                    self.service(name, database, service)
            for database in list(self.catalogs[name].databases):
                if self.often(3):
                    self.route(name, database, to_service, f"TCP://{SHARED}:4022")
                if self.often(4):
                    self.service(name, database, FROM.lower())

    def noise(self, instance, database, to_service, ids):
        if self.often(60):
            super().noise(instance, database, to_service, ids)
            return
        address, broker = self.anywhere(), self.dice.choice(ids)
        match self.dice.randrange(6):
            case 0:
                self.route(instance, database, to_service, address, expires_at=NOW)
            case 1:
                self.spelled_in_several_ways(instance, database, to_service)
            case 2:
                self.route(instance, database, f"{to_service} ", address)
                self.route(instance, database, to_service, "TCP://localhost:4022")
            case 3:
                self.route(instance, database, to_service, LOCAL, broker)
                self.route(instance, database, to_service, address, self.dice.choice(ids))
            case 4:
                self.route(instance, database, to_service, address, broker)
                self.route(instance, database, to_service, address, broker, mirror=self.anywhere())
            case _:
                self.route(instance, database, FROM, self.one_of(LOCAL, address), broker if self.often(50) else None)

    def spelled_in_several_ways(self, instance, database, to_service):
        """One address three times, which counts once (routing.md E20)."""
        address = self.address(instance)
        for spelled in (address, f"tcp://{address.upper().removeprefix('TCP://')}/", address):
            self.route(instance, database, to_service, spelled)
