"""What `msgspec` says is taken apart, whatever the value that it quotes."""

import msgspec
import pytest

from engine.contracts.misfits import misfit_of


class Word(msgspec.Struct, tag="x - at `$.y`"):
    pass


@pytest.mark.parametrize(
    ("given", "shape", "expected"),
    [
        ({"of": {"a": [1, "x"]}}, dict[str, dict[str, list[int]]], ("Expected `int`, got `str`", "$[...][...][1]")),
        ("x", int, ("Expected `int`, got `str`", "$")),
        ({"type": "y - at `$.z`"}, Word, ("Invalid value 'y - at `$.z`'", "$.type")),
    ],
)
def test_the_sentence_and_its_place(given, shape, expected):
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(given, shape)
    assert misfit_of(refused.value) == expected
