"""Estates as they were, are or would be: files that the job `whatif` asks, and what of them travels to the workers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from engine.contracts.codec import binary_catalog_decoder, binary_encoder
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime

NO_SNAPSHOT, SAME_REVISION = 13807, 2627
SUFFIX: Final = ".estate"
Catalogs = dict[InstanceName, InstanceCatalog]


class EstateSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """An estate of one revision at one instant; its catalogs as the codec writes them."""

    revision: int
    at: UtcTime
    """The instant for which it is asked: routes may have expired by then."""
    catalogs: tuple[bytes, ...]


class AskedEstates(msgspec.Struct, frozen=True, kw_only=True):
    """Estates with what several of them share in it once: most instances are the same in two revisions."""

    catalogs: tuple[bytes, ...]
    estates: tuple[tuple[int, UtcTime, tuple[int, ...]], ...]
    """Revision, instant, and the places of its catalogs; ascending by revision."""


class Estate(msgspec.Struct, frozen=True, kw_only=True):
    """One of them, ready to be asked."""

    revision: int
    at: UtcTime
    catalogs: Catalogs


_snapshot_decoder: Final = msgspec.msgpack.Decoder(EstateSnapshot)
_asked_decoder: Final = msgspec.msgpack.Decoder(AskedEstates)


def write_snapshot(
    folder: Path, catalogs: Mapping[InstanceName, InstanceCatalog], *, revision: int, at: UtcTime
) -> Path:
    """A file in a folder that the job `whatif` is given; one for each revision that it is to ask about."""
    folder.mkdir(parents=True, exist_ok=True)
    written = tuple(binary_encoder.encode(catalog) for catalog in catalogs.values())
    path = folder / f"{revision}{SUFFIX}"
    path.write_bytes(binary_encoder.encode(EstateSnapshot(revision=revision, at=at, catalogs=written)))
    return path


def read_snapshots(folder: Path, job: str) -> tuple[bytes, tuple[Estate, ...]]:
    """All of a folder, as they travel to the workers and as they are asked.

    Raises `LocalProtocolError`: 13807 where there is none or one cannot be read, 2627 for two of one revision.
    """
    try:
        found = [_snapshot_decoder.decode(path.read_bytes()) for path in sorted(folder.glob(f"*{SUFFIX}"))]
        encoded = binary_encoder.encode(_shared(sorted(found, key=lambda each: each.revision)))
        estates = decoded(encoded)
    except (OSError, msgspec.MsgspecError) as error:
        raise LocalProtocolError(NO_SNAPSHOT, name=str(folder), job=job) from error
    if not estates:
        raise LocalProtocolError(NO_SNAPSHOT, name=str(folder), job=job)
    if len({each.revision for each in estates}) < len(estates):
        raise LocalProtocolError(SAME_REVISION, name=str(folder))
    return encoded, estates


def _shared(snapshots: Iterable[EstateSnapshot]) -> AskedEstates:
    places: dict[bytes, int] = {}
    estates = tuple(
        (each.revision, each.at, tuple(places.setdefault(catalog, len(places)) for catalog in each.catalogs))
        for each in snapshots
    )
    return AskedEstates(catalogs=tuple(places), estates=estates)


def decoded(asked: bytes) -> tuple[Estate, ...]:
    """As they are asked, ascending by revision. Catalogs that several share are one object in all of them."""
    found = _asked_decoder.decode(asked)
    catalogs = [binary_catalog_decoder.decode(catalog) for catalog in found.catalogs]
    return tuple(
        Estate(revision=revision, at=at, catalogs={catalogs[place].name: catalogs[place] for place in places})
        for revision, at, places in found.estates
    )
