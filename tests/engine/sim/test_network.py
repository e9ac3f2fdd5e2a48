"""Paths: cut in one direction or both, slow, damaged; and connections that stand, are refused, or hear nothing."""

import pytest

from engine.core.vocabulary.messages import TcpAddress
from engine.sim.network import LinkProfile
from tests.engine.sim.worlds import network

ADDRESS = TcpAddress("lyon", 4022)


class End:
    def __init__(self):
        self.peer = None
        self.heard = []

    def opened(self):
        self.heard.append("opened")

    def received(self, data):
        self.heard.append(data)

    def lost(self, number, detail):
        self.heard.append(number)


class Machine:
    name = "LYON"

    def __init__(self):
        self.listens = True
        self.accepted = []

    def accept(self, caller):
        self.accepted.append(End())
        return self.accepted[-1]


@pytest.fixture
def lyon():
    return Machine()


def connect(net, lyon):
    if lyon is not None:
        net.hosts[ADDRESS] = lyon
    caller = End()
    net.connect("PARIS", caller, ADDRESS, unknown=9783, refused=9754)
    net.agenda.run_until(5.0)
    return caller.heard


def test_whoever_listens_is_reached(lyon):
    assert connect(network(), lyon) == ["opened"]
    assert lyon.accepted[0].heard == ["opened"]


def test_an_address_that_nobody_has_and_one_where_nobody_listens_have_their_numbers(lyon):
    assert connect(network(), None) == [9783]
    lyon.listens = False
    assert connect(network(), lyon) == [9754]


@pytest.mark.parametrize("ends", [("PARIS", "LYON"), ("LYON", "PARIS")])
def test_a_cut_in_either_direction_keeps_a_connection_from_standing(lyon, ends):
    net = network()
    net.path(*ends).cut()
    assert connect(net, lyon) == []
    assert not lyon.accepted


def test_a_path_flows_again_when_the_last_of_its_cuts_is_mended_and_keeps_the_order():
    path, seen = network().path("PARIS", "LYON"), []
    path.cut()
    path.cut()
    path.waiting += [lambda: seen.append(1), lambda: seen.append(2)]
    path.mend()
    assert path.is_cut
    assert not seen
    path.mend()
    assert not path.is_cut
    assert seen == [1, 2]


def test_bandwidth_is_seconds_for_bytes_and_latency_lies_within_the_jitter():
    net = network(LinkProfile(latency_ms=10, jitter_ms=5, kilobytes_per_second=100))
    path = net.path("PARIS", "LYON")
    assert path.transfer(50_000) == pytest.approx(0.5)
    assert network().path("PARIS", "LYON").transfer(50_000) == 0.0
    assert all(0.010 <= path.latency(net.dice) <= 0.015 for _ in range(100))


def test_when_a_network_calms_down_it_loses_nothing_more_and_stays_as_slow_as_it_was():
    rough = LinkProfile(latency_ms=77, loss=0.5, duplication=0.5, reordering=0.5, corruption=0.5)
    net = network(rough)
    known = net.path("PARIS", "LYON")
    net.calm_down()
    for path in (known, net.path("LYON", "PARIS")):
        assert path.profile == LinkProfile(latency_ms=77)
