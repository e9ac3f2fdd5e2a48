"""T-SQL of prologues, solutions, wrong turns and checks: what no console would run is told at its line of the file."""

from engine.training.reading import read_scenario
from engine.tsql.console.checking import mistakes_in
from tests.support.each import for_each
from tests.support.training_files import FILES, SMALL

GOOD = """\
      DECLARE @n int = 1;
      WHILE @n < 3
      BEGIN
          SET @n = @n + 1;
      END;
      GO
      CREATE QUEUE dbo.R;
"""
MISTAKES = [
    ("CREATE QUEUE dbo.R;", "CREATE QUEU dbo.R;", 6, 7, "102"),
    ("CREATE QUEUE dbo.R;", "CREATE QUEUE dbo.R WITH RETENTION = MAYBE;", 6, 7, "102"),
    ("SET @n = @n + 1;", "SET @m = 1;", 3, 11, "137"),
    ("SET @n = @n + 1;", "SAVE TRANSACTION here;", 3, 11, "40517"),
    ("SET @n = @n + 1;", "ALTER DATABASE Ventes SET PARTNER SUSPEND;", 3, 11, "40510"),
    ("      END;\n", "", 4, 7, "102"),
    ("DECLARE @n int = 1;", "DECLARE @n int = 1 +;", 0, 7, "102"),
]  # fmt: skip
SOLUTION = "    sql: |\n      CREATE QUEUE dbo.R;\n"
PLACES = {
    "solution": (SOLUTION, "    sql: |\n{}"),
    "wrong turn": (
        "    steps: [{wait_seconds: 10}]\n",
        "    steps:\n    - instance: PARIS\n      sql: |\n{}",
    ),
    "prologue": ("tasks:\n", "prologue:\n  - instance: PARIS\n    sql: |\n{}tasks:\n"),
}


def faults_of(text: str) -> list[str]:
    return [f"{each.line}:{each.column}: {each.text}" for each in read_scenario("s.yaml", text)[1]]


@for_each("where", PLACES)
@for_each(("old", "new", "line", "column", "number"), MISTAKES)
def test_a_mistake_in_a_step(where: str, old: str, new: str, line: int, column: int, number: str):
    before, around = PLACES[where]
    assert before in SMALL
    assert old in GOOD
    indent = "  " if where == "wrong turn" else ""

    def with_steps(sql: str) -> str:
        shifted = "".join(f"{indent}{each}" for each in sql.splitlines(keepends=True))
        return SMALL.replace(before, around.format(shifted), 1)

    good = with_steps(GOOD)
    assert not faults_of(good)
    first = good[: good.index(f"{indent}      DECLARE @n")].count("\n") + 1
    place = f"{first + line}:{column + len(indent)}: {number}"
    found = faults_of(with_steps(GOOD.replace(old, new)))
    assert any(each.startswith(place) for each in found), (place, found)


def test_several_mistakes_are_told_at_once():
    text = SMALL.replace(
        "      CREATE QUEUE dbo.R;\n", "      CREATE QUEU a;\n      GO\n      DROP QUEU b;\n      SELEC 1;\n"
    )
    assert [each.split(":")[2].strip() for each in faults_of(text)] == ["102", "102"]


def test_a_select_of_a_check():
    check = "      - select:\n          instance: PARIS\n          database: Ventes\n          sql: |\n"
    text = SMALL.replace("    checks:\n", f"    checks:\n{check}            SELECT * FROM\n          rows: 1\n")
    (fault,) = faults_of(text)
    line = text[: text.index("SELECT * FROM")].count("\n") + 1
    assert fault.startswith(f"{line}:13: 102: "), fault


def test_what_ships_has_none():
    for file in FILES:
        assert read_scenario(file.name, file.read_text("utf-8"))[1] == []


def test_mistakes_stand_in_their_order():
    script = "SELECT 1;\nCREATE TRIGGER a ON b FOR INSERT AS PRINT 1;\nGO\nSELECT (;\nGO\nPRINT @a;"
    assert [(each.line, each.number) for each in mistakes_in(script)] == [(2, 40510), (4, 102), (6, 137)]
