"""`manage.py training_check`: what an author sees of files that are right, wrong, and worth what they should not be."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.support.training_files import FOLDER, SMALL


def check(capsys, *arguments) -> tuple[int, list[str], list[str]]:
    code = 0
    try:
        call_command("training_check", *map(str, arguments))
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    return code, said.out.splitlines(), said.err.splitlines()


@pytest.fixture
def small(tmp_path: Path):
    def write(*changes: tuple[str, str]) -> Path:
        text = SMALL
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        file = tmp_path / "small.yaml"
        file.write_text(text, "utf-8")
        return file

    return write


def test_a_file_that_is_as_it_should_be(capsys, small):
    code, out, _ = check(capsys, small())
    assert code == 0
    assert [line.split()[:3] for line in out[:-1]] == [
        ["ok", "small", "start"],
        ["ok", "small", "waiting"],
        ["ok", "small", "solution"],
        ["ok", "small", "solution"],
        ["ok", "small", "wrong"],
    ]
    assert "100 %  second 10/10" in out[2]
    assert out[-1] == "1 file: 5 ways, 5 as they should be, 0 not."


def test_a_solution_that_solves_nothing(capsys, small):
    file = small(("CREATE QUEUE dbo.R;\n", "CREATE QUEUE dbo.S;\n"))
    code, out, _ = check(capsys, file)
    assert code == 1
    failed = next(at for at, line in enumerate(out) if line.startswith("FAILED"))
    line = file.read_text("utf-8").splitlines().index("      CREATE QUEUE dbo.S;") + 1
    assert out[failed + 1].strip().startswith(f"{file}:{line}: the solution is worth 0 per cent, not 100: Not yet.")


def test_a_step_that_fails_is_told_at_its_line(capsys, small):
    file = small(("      CREATE QUEUE dbo.R;\n", "      CREATE QUEUE dbo.R;\n      DROP QUEUE dbo.Z;\n"))
    code, out, _ = check(capsys, file)
    assert code == 1
    line = file.read_text("utf-8").splitlines().index("      DROP QUEUE dbo.Z;") + 1
    assert any(each.strip().startswith(f"{file}:{line}: PARIS/Ventes, line 2: 15151") for each in out), out


def test_a_wrong_turn_that_is_right_and_points_for_nothing(capsys, small):
    turn = "steps:\n    - instance: PARIS\n      database: Ventes\n      sql: |\n        CREATE QUEUE dbo.R;\n"
    code, out, _ = check(capsys, small(("steps: [{wait_seconds: 10}]\n", turn)))
    assert code == 1
    assert any("a wrong turn that is worth everything is none" in line for line in out)
    code, out, _ = check(capsys, small(("where: {name: R}, rows: 1", "where: {name: Q}, rows: 1")))
    assert code == 1
    assert sum("are earned by doing nothing" in line for line in out) == 2


def test_a_file_that_cannot_be_read(capsys, small, tmp_path):
    file = small(("      CREATE QUEUE dbo.R;\n", "      CREATE QUEU dbo.R;\n"))
    other = tmp_path / "nowhere.yaml"
    code, out, _ = check(capsys, file, other)
    line = file.read_text("utf-8").splitlines().index("      CREATE QUEU dbo.R;") + 1
    assert code == 2
    assert out[0].startswith(f"error   {file}:{line}:7: 102: ")
    assert out[1].startswith(f"error   {other}:1:1: 4860: ")
    assert len(out) == 2, "nothing was played"


def test_lessons_and_the_name_of_the_file(capsys, small):
    hint = "{cost: 5, text: {en: A, fr: B, de: C}}"
    file = small((hint, hint.replace("}}", "}, lesson: nothing}")))
    code, out, _ = check(capsys, file)
    assert code == 2
    assert "15151: there is no lesson 'nothing'" in out[0]
    moved = file.rename(file.with_name("other.yaml"))
    code, out, _ = check(capsys, moved)
    assert code == 2
    assert any("small.yaml" in line for line in out)


def test_sentences_and_json(capsys):
    file = FOLDER / "name-case.yaml"
    code, out, _ = check(capsys, file, "--sentences", "--language", "fr")
    assert code == 0
    assert any(line.strip().startswith("backlog-gone: Pas encore.") for line in out)
    code, out, _ = check(capsys, file, "--json")
    assert code == 0
    rows = [json.loads(line) for line in out]
    assert [row["try"]["kind"] for row in rows] == ["start", "waiting", "solution", "solution", "wrong-turn"]
    assert rows[2]["try"]["grading"]["score"] == 100
