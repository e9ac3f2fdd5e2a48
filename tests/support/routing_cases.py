"""One case of a file for `route_check`, put together from the parts that a test is about."""

from engine.api import check_routes


def run(expected, *, database="", msdb="", conversation="service: S", instance="", setup="", also=""):
    text = f"""\
- id: x
  routes: {{database: [{database}], msdb: [{msdb}]}}
  instance: {{{instance}}}
  conversation: {{{conversation}}}
  setup: {{{setup}}}
  expected: {expected}
  also_acceptable: [{also}]
"""
    report = check_routes({"f": text})
    assert report.faults == ()
    return report.cases[0]


def passes(expected, **fields):
    return run(expected, **fields).passed


ALL = "{name: All, address: LOCAL}"
FAR = "{name: Far, service: S, address: 'TCP://Far.example:4022/'}"
TWO = "{name: One, service: S, address: 'TCP://one:1'}, {name: Two, service: S, address: 'TCP://two:2'}"
IDS = "{name: One, service: S, broker: B1, address: 'TCP://one:1'}, {name: Two, service: S, broker: B2, address: LOCAL}"
PAIR = "{name: Pair, service: S, broker: B1, address: 'TCP://a:1', mirror: 'TCP://b:2'}"
