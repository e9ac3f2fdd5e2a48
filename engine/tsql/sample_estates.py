"""The estates that come with the product, as scripts: they are loaded the way a user's own scripts are."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec


class Sample(msgspec.Struct, frozen=True):
    """An estate to start from: what it is called, what it shows, and its scripts by file name, in order."""

    name: str
    title: str
    description: str
    scripts: tuple[tuple[str, str], ...]


@cache
def samples() -> tuple[Sample, ...]:
    """Every sample, by name."""
    folder = resources.files("engine.tsql").joinpath("samples")
    found = (entry for entry in folder.iterdir() if entry.joinpath("sample.toml").is_file())
    return tuple(sorted((_read(entry) for entry in found), key=lambda sample: sample.name))


def _read(folder: Traversable) -> Sample:
    about = tomllib.loads(folder.joinpath("sample.toml").read_text("utf-8"))
    scripts = tuple((name, folder.joinpath(name).read_text("utf-8")) for name in about["scripts"])
    return Sample(folder.name, about["title"], about["description"], scripts)
