"""T-SQL out: what is written is read back as it was, in the same bytes each time, without any secret."""

from collections.abc import Mapping

from hypothesis import given

from engine.core.catalog.difference import diff
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import ImportPlan
from engine.tsql.sample_estates import samples
from engine.tsql.writing.quoting import unshielded
from engine.tsql.writing.scripts import delta_script, full_script, whole_script
from engine.tsql.writing.written import ScriptOptions, WrittenScript
from tests.support.certificates import VAULT
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.secured_catalogs import folded, secured_catalogs, told_by_a_script
from tests.support.thoroughness import examples

NOW = UtcTime(1_700_000_000.0)
PARIS = InstanceName("PARIS")
Catalogs = Mapping[InstanceName, InstanceCatalog]


def written(catalogs: Catalogs, **options: object) -> WrittenScript:
    return whole_script(full_script(catalogs, ScriptOptions(**options)))  # type: ignore[arg-type]


def delta(before: Catalogs, after: Catalogs, **options: object) -> WrittenScript:
    return whole_script(delta_script(before, after, ScriptOptions(**options)))  # type: ignore[arg-type]


def read(script: WrittenScript, onto: Catalogs) -> ImportPlan:
    parsed = parse_script(script.text, "script.sql")
    assert parsed.ignored == ()
    plan = plan_import([parsed], onto, default_instance=PARIS, now=NOW, entropy=NumberedEntropy(10_000), smith=VAULT)
    assert plan.problems == (), (plan.problems, script.text)
    return plan


def estate(catalog: InstanceCatalog) -> Catalogs:
    return {catalog.name: catalog}


@examples(150)
@given(secured_catalogs)
def test_read_into_an_empty_estate_the_whole_script_gives_the_same_catalog(catalog: InstanceCatalog) -> None:
    script = written(estate(catalog))
    plan = read(script, {})
    assert folded(plan.catalogs[catalog.name]) == told_by_a_script(catalog)
    again = written(plan.catalogs)
    assert written(plan.catalogs).text == again.text
    assert written(estate(told_by_a_script(catalog))).text.lower() == again.text.lower()
    assert read(again, plan.catalogs).changes == {}


@examples(150)
@given(secured_catalogs, secured_catalogs)
def test_the_changes_lead_there_and_the_rollback_leads_back(before: InstanceCatalog, after: InstanceCatalog) -> None:
    one, other = estate(told_by_a_script(before)), estate(told_by_a_script(after))
    there = read(delta(one, other), one).catalogs
    assert diff(folded(there[PARIS]), told_by_a_script(after)) == ()
    back = read(delta(other, one), there).catalogs
    assert diff(folded(back[PARIS]), told_by_a_script(before)) == ()


@examples(50)
@given(secured_catalogs)
def test_guards_and_a_header_change_nothing_of_what_is_read(catalog: InstanceCatalog) -> None:
    script = written(estate(catalog), has_guards=True, header=("Estate démo", "two\nlines"))
    assert script.text.startswith("-- Estate démo\n-- two\n-- lines\n")
    plan = read(script, {})
    assert folded(plan.catalogs[catalog.name]) == told_by_a_script(catalog)
    assert read(script, plan.catalogs).changes == {}


@examples(50)
@given(secured_catalogs)
def test_each_statement_says_in_which_lines_it_stands(catalog: InstanceCatalog) -> None:
    script = written(estate(catalog), has_guards=True)
    lines = script.text.splitlines()
    read_lines = {statement.place.line for statement in parse_script(script.text, "s").statements}
    ends = 0
    for each in script.statements:
        assert ends < each.line <= each.end_line <= len(lines)
        ends = each.end_line
        text = unshielded("\n".join(lines[each.line - 1 : each.end_line]))
        assert each.name.replace("]", "]]").split(".", 1)[-1] in text
        assert any(each.line <= line <= each.end_line for line in read_lines)
    for warning in script.warnings:
        assert lines[warning.line - 1] == f"-- {warning.text}".replace("$(", "$ (")


def sample() -> Catalogs:
    (demo,) = samples()
    scripts = [parse_script(text, name) for name, text in demo.scripts]
    return plan_import(scripts, {}, default_instance=PARIS, now=NOW, entropy=NumberedEntropy(), smith=VAULT).catalogs


def test_the_sample_goes_out_and_comes_back() -> None:
    catalogs = sample()
    script = written(catalogs)
    plan = read(script, {})
    assert plan.catalogs == catalogs
    assert read(script, plan.catalogs).changes == {}
    assert plan.warnings == ()


def test_one_instance_and_one_database() -> None:
    catalogs = sample()
    text = written(catalogs, instance=InstanceName("berlin")).text
    assert [line for line in text.splitlines() if line.startswith(":")] == [":CONNECT BERLIN"]
    text = written(catalogs, database="buchhaltung").text
    used = {line for line in text.splitlines() if line.startswith(("USE", ":CONNECT", "CREATE DATABASE"))}
    assert {line.split(" --")[0] for line in used} == {
        ":CONNECT BERLIN",
        ":CONNECT LYON",
        "USE [master];",
        "USE [Buchhaltung];",
        "CREATE DATABASE [Buchhaltung];",
    }
    assert "ENDPOINT" not in text


def test_equal_states_have_an_empty_delta_and_an_instance_that_is_gone_is_said() -> None:
    catalogs = sample()
    assert delta(catalogs, catalogs).text == ""
    script = delta(catalogs, {name: catalog for name, catalog in catalogs.items() if name != "HUB"})
    assert [warning.text for warning in script.warnings] == [
        "No statement removes an instance: instance HUB of the earlier state is left as it is."
    ]
    assert parse_script(script.text, "s").statements == ()
