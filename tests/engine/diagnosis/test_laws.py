"""Laws over estates of every kind: a diagnosis never fails, and what it proposes mends what it says."""

import msgspec
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from engine.core.catalog.instance import InstanceCatalog
from engine.diagnosis.finding import Severity
from engine.diagnosis.likeness import skeleton
from engine.diagnosis.saying import said
from engine.diagnosis.words import entries, worded
from tests.support.catalogs import catalogs
from tests.support.diagnosed_estates import Estate, diagnosed, mended
from tests.support.each import for_each
from tests.support.thoroughness import examples


def _named(catalog: InstanceCatalog, name: str) -> InstanceCatalog:
    return msgspec.structs.replace(catalog, name=name)


estates = st.tuples(catalogs, catalogs, catalogs).map(
    lambda three: {name: _named(each, name) for name, each in zip(("LYON", "BERLIN", "HUB"), three, strict=True)}
)


@examples(60, suppress_health_check=[HealthCheck.too_slow])
@given(estates)
def test_what_is_proposed_mends_what_is_said(estate: Estate):
    before = diagnosed(estate)
    errors = {each.key for each in before.findings if each.severity is Severity.ERROR}
    for finding in before.findings:
        for language in ("en", "fr", "de"):
            assert "{" not in "".join(msgspec.structs.astuple(worded(finding, language)))
            assert all(said(change, language) for part in finding.fix for change in part.changes)
        if finding.fix:
            after = diagnosed(mended(estate, finding)).findings
            assert finding.key not in {each.key for each in after}, finding
            new = [each for each in after if each.severity is Severity.ERROR and each.key not in errors]
            assert new == [], (finding, new)


@examples(200)
@example("\u0345")
@given(st.text(max_size=12))
def test_a_skeleton_of_a_skeleton_is_itself(name: str):
    assert skeleton(skeleton(name)) == skeleton(name)
    assert skeleton(f" {name}/") == skeleton(name)


@for_each("code", [code for code in entries() if "/" not in code])
def test_every_check_has_all_its_words(code: str):
    entry = entries()[code]
    assert entry.severity is not None
    assert all((entry.title, entry.text, entry.why, entry.cure))
