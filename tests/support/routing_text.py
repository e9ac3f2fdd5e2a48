"""The text of routing.md 3 and 4 as a program: lists are scanned, nothing is indexed, nothing shared with the router.

`ends` answers every end a message may come to, (outcome, route, address, database, status), each with its weight.

Where it departs from the pseudo-code of routing.md 4, and why:
- At an own address it does not: a message from inside goes on as if from outside, over that address when it ends in a
  database here (routing.md 9), and what `msdb` then drops is dropped. The router keeps such a message, because routing
  never destroys what a transmission queue holds (E1, while section 10 has no row for it). Whoever compares the two
  applies that one decision in the open, by `kept_at_home`.
- A mirrored route is not cut short at an own address (E27); of routes that are one the mirrored one counts (E43).
- A reply to a database that cannot deliver is lost with 28016 (E16); one that can is not asked for the service.
- Numbers that the pseudo-code leaves open are those of sections 2, 3 and 5.
"""

from collections import Counter
from fractions import Fraction

from engine.core.catalog.database import DatabaseState as State
from engine.core.catalog.route import LocalAddress, NetworkAddress, TransportAddress
from engine.core.vocabulary.messages import TcpAddress

CONFIGURATION, AS_IF_LOCAL = "SQL/ServiceBroker/BrokerConfiguration", "as if LOCAL"
SELF = ("localhost", "127.0.0.1", "::1", "paris")
REASON = {State.OFFLINE: 28012, State.READ_ONLY: 28014, State.SINGLE_USER: 28015, State.MIRROR: 28018}


def same(route):
    """Routes equal in this count as one."""
    return route.service_name, route.broker_instance, getattr(route.address, "tcp", str(route.address))


def classify(here, db, service, broker, from_target, now, no_asking, pick):
    home, lost = here.databases[db or "msdb"], "delayed" if db else "dropped"
    if not db and (home.state in (State.OFFLINE, State.SINGLE_USER) or not home.is_broker_enabled):
        return lost, None, None, None, {State.OFFLINE: 9788, State.SINGLE_USER: 9790}.get(home.state, 9789)
    if not db and from_target and (owner := owner_of(here, broker)):
        return ("local", None, None, owner.name, None) if ready(owner) else (lost, None, None, None, 28016)
    if db and (home.state is State.SINGLE_USER or not home.is_broker_enabled):
        return lost, None, None, None, 28075 if home.is_broker_enabled else 9791
    live = [route for route in home.routes.values() if route.expires_at is None or now < route.expires_at]
    found = match(here, live, service, broker, (home.name, service) in no_asking, pick)
    if isinstance(found, int):
        return lost, None, None, None, 9750 if db and found == 9793 else found
    route = choose(here, found, service, pick)
    if route is None:
        return lost, None, None, None, 9796
    if route == AS_IF_LOCAL or isinstance(route.address, LocalAddress):
        return locate(here, db, service, route, broker or getattr(route, "broker_instance", None), lost, pick)
    address = derive(service) if isinstance(route.address, TransportAddress) else route.address.tcp
    if not db and not (here.endpoint.is_message_forwarding_enabled and here.endpoint.state == "STARTED"):
        return lost, same(route), None, None, 9792
    if address is None:
        return lost, same(route), None, None, 9785
    if db and not route.mirror_address and is_self(here, address):
        outcome, key, onward, database, status = classify(
            here, None, service, broker, from_target, now, no_asking, pick
        )
        return outcome, key, address if database else onward, database, status
    return "remote", same(route), address, None, None


def match(here, live, service, broker, no_asking, pick):
    named = [route for route in live if route.service_name == service]
    if broker and (both := [route for route in named if route.broker_instance == broker]):  # 1
        return both
    if name_only := [route for route in named if not route.broker_instance]:  # 2
        return name_only
    if not broker and named:  # 3
        picked = pick(sorted({route.broker_instance for route in named}))
        return [route for route in named if route.broker_instance == picked]
    if not no_asking and any(route.service_name == CONFIGURATION for route in live):  # 4
        return 9770
    if last_resort := [route for route in live if not route.service_name]:  # 5
        return last_resort
    return [AS_IF_LOCAL] if broker and hosts(here, service) else 9793  # 6, 7


def choose(here, found, service, pick):
    if found == [AS_IF_LOCAL]:
        return AS_IF_LOCAL
    one = {same(route): route for route in sorted(found, key=lambda route: route.mirror_address is not None)}
    for kind in ("mirrored", LocalAddress, NetworkAddress, TransportAddress):
        some = [
            route for route in one.values() if kind == ("mirrored" if route.mirror_address else type(route.address))
        ]
        if some and (kind is not LocalAddress or hosts(here, service)):
            return pick(some)
    return None


def locate(here, db, service, route, broker, lost, pick):
    key = None if route == AS_IF_LOCAL else same(route)
    if not broker:
        found = hosts(here, service)
        return "local", key, None, db if db in found else pick(found), None
    owner = owner_of(here, broker)
    if owner is None or not ready(owner):
        return lost, key, None, None, 9795 if owner is None else REASON.get(owner.state, 28013)
    if service in owner.services:
        return "local", key, None, owner.name, None
    return (lost, key, None, None, 9796) if db else (lost, key, None, owner.name, 8490)


def ready(database):
    return database.is_broker_enabled and database.state is State.ONLINE


def hosts(here, service):
    return [database.name for database in here.databases.values() if ready(database) and service in database.services]


def owner_of(here, broker):
    return next(
        (database for database in here.databases.values() if broker and database.broker_instance == broker), None
    )


def is_self(here, address):
    return here.endpoint.state == "STARTED" and address.host in SELF and address.port == here.endpoint.port


def derive(service):
    scheme, _, rest = service.partition("//")
    host, _, port = rest.partition("/")[0].partition(":")
    return TcpAddress(host.lower(), int(port or 4022)) if scheme.lower() == "tcp:" and host else None


def kept_at_home(found):
    """E1: routing never destroys what a transmission queue of this instance holds, whichever table had no way."""
    kept = Counter()
    for (outcome, *rest), weight in found.items():
        kept["delayed" if outcome == "dropped" else outcome, *rest] += weight
    return kept


class Branch:
    """Answers draws as told, then with the first; remembers the other answers there would have been."""

    def __init__(self, answers):
        self.answers, self.taken, self.others, self.weight = answers, (), [], Fraction(1)

    def pick(self, options):
        self.weight /= len(options)
        at = len(self.taken)
        if at >= len(self.answers):
            self.others += [(*self.taken, other) for other in range(1, len(options))]
        self.taken += (self.answers[at] if at < len(self.answers) else 0,)
        return options[self.taken[at]]


def ends(here, *question):
    """Follow every draw of a question to its end."""
    found, branches = Counter(), [()]
    while branches:
        branch = Branch(branches.pop())
        found[classify(here, *question, branch.pick)] += branch.weight
        branches += branch.others
    return found
