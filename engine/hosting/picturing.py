"""Pictures of a hosted instance: the core's, with what the host alone knows."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.core.exchange.pictures import Picture, PictureQuery, SummaryPicture
from engine.core.instance import Instance
from engine.core.link.facts import NetworkFacts
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.moment import Now
from engine.hosting.listening import InstanceListener


def pictures_of(
    instance: Instance,
    queries: Iterable[PictureQuery],
    journal: PictureJournal,
    now: Now,
    network: NetworkFacts,
    listener: InstanceListener,
) -> list[Picture | BrokerError]:
    """What views show, all at the same moment; an error in the place of a query that names what is not there."""
    found: list[Picture | BrokerError] = []
    for query in queries:
        try:
            picture = instance.picture(query, journal, now, network)
        except BrokerError as error:
            found.append(error)
            continue
        if isinstance(picture, SummaryPicture):
            picture = msgspec.structs.replace(picture, listening_port=listener.port, listening_error=listener.error)
        found.append(picture)
    return found
