"""Regular expressions take time that grows with the text and not with its square: texts are the users' and senders'."""

import pytest

from tests.support.bounded_process import ROOT, run_bounded


def test_every_pattern_is_linear():
    assert run_bounded("tests.support.hostile_patterns", str(ROOT))


@pytest.mark.parametrize("source", [r're.compile(r"\s*a").search', r're.compile(r"\d+\.?\d*").fullmatch'])
def test_a_pattern_that_is_not_is_found(source, tmp_path):
    (tmp_path / "engine").mkdir()
    pattern, call = source.rsplit(".", 1)
    (tmp_path / "engine" / "planted.py").write_text(f"import re\n_P = {pattern}\nFOUND = _P.{call}(TEXT)\n")
    with pytest.raises(AssertionError, match=r"planted\.py"):
        run_bounded("tests.support.hostile_patterns", str(tmp_path), seconds=20)


def test_a_pattern_that_cannot_be_told_is_an_error(tmp_path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "planted.py").write_text("import re\nfound = re.compile(made()).match(text)\n")
    with pytest.raises(AssertionError, match="at run time"):
        run_bounded("tests.support.hostile_patterns", str(tmp_path))
