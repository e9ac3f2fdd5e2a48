"""Key-exchange keys kept for a while: one public-key operation for many dialogs (protocol.md 9.2).

Ours serve for some hours towards one certificate; those of others are remembered by the bytes they came in. Both are in
memory only and bounded; losing one costs a public-key operation, nothing else.
"""

from __future__ import annotations

from collections import OrderedDict

from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.keys import KeyExchangeKey
from engine.core.vocabulary.limits import KEY_EXCHANGE_KEYS_MAX
from engine.core.vocabulary.moment import Duration, Instant


class KeyExchange:
    """The key-exchange keys of one instance."""

    def __init__(self, seconds: Duration) -> None:
        self._seconds = seconds
        self._ours: OrderedDict[tuple[DatabaseName, bytes], tuple[KeyExchangeKey, Instant]] = OrderedDict()
        self._theirs: OrderedDict[tuple[DatabaseName, bytes, bytes], KeyExchangeKey] = OrderedDict()

    def ours(self, database: DatabaseName, certificate: bytes, now: Instant) -> KeyExchangeKey | None:
        """The key that serves towards a certificate, unless it has served long enough."""
        found = self._ours.get((database, certificate))
        return None if found is None or found[1] + self._seconds <= now else found[0]

    def keep_ours(self, database: DatabaseName, certificate: bytes, key: KeyExchangeKey, now: Instant) -> None:
        """A new key towards a certificate."""
        self._ours[database, certificate] = (key, now)
        self._ours.move_to_end((database, certificate))
        if len(self._ours) > KEY_EXCHANGE_KEYS_MAX:
            self._ours.popitem(last=False)

    def theirs(self, database: DatabaseName, private_key: bytes, wrapped: bytes) -> KeyExchangeKey | None:
        """A key that was opened before with this private key, which is named by its sealed form."""
        return self._theirs.get((database, private_key, wrapped))

    def keep_theirs(self, database: DatabaseName, private_key: bytes, wrapped: bytes, key: KeyExchangeKey) -> None:
        """A key that was opened."""
        self._theirs[database, private_key, wrapped] = key
        if len(self._theirs) > KEY_EXCHANGE_KEYS_MAX:
            self._theirs.popitem(last=False)

    def forget(self, database: DatabaseName) -> None:
        """The master key of a database changed: what was opened under it is closed."""
        for key in [key for key in self._ours if key[0] == database]:
            del self._ours[key]
        for name in [name for name in self._theirs if name[0] == database]:
            del self._theirs[name]
