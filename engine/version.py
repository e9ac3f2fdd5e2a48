"""The version of the engine, as answers bear it that are to be repeated; that of the distribution (pyproject.toml)."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
