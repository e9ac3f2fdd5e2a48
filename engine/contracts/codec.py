"""One encoder and decoder per travelling type; the tagged unions of the core are their own schema."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply

json_encoder: Final = msgspec.json.Encoder(uuid_format="canonical")
command_decoder: Final = msgspec.json.Decoder(Command)
reply_decoder: Final = msgspec.json.Decoder(Reply)
catalog_change_decoder: Final = msgspec.json.Decoder(CatalogChange)
catalog_decoder: Final = msgspec.json.Decoder(InstanceCatalog)

binary_encoder: Final = msgspec.msgpack.Encoder(uuid_format="bytes")
binary_event_decoder: Final = msgspec.msgpack.Decoder(BrokerEvent)
binary_events_decoder: Final = msgspec.msgpack.Decoder(list[BrokerEvent])
binary_reply_decoder: Final = msgspec.msgpack.Decoder(Reply)
binary_catalog_decoder: Final = msgspec.msgpack.Decoder(InstanceCatalog)
