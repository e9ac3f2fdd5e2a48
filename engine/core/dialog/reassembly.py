"""`Reassembly`: how much memory the large messages that an instance puts together may take (protocol.md 3.3).

Fragments that are acknowledged cannot be given back, so the bound is kept at the beginning: a message is begun only
while what is begun already is below the bound. Whoever has begun can finish, hence nobody waits for ever; the memory
taken is at most the bound and one message more. Only the next message of a conversation is ever begun.
"""

from __future__ import annotations


class Reassembly:
    """Bytes reserved by all dialogs of one instance. A reservation is for a whole message, from its first fragment."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self.bytes = 0

    def reserve(self, message_bytes: int) -> bool:
        """Take room for a message; answers whether there was any."""
        if self.bytes >= self._bytes_max:
            return False
        self.bytes += message_bytes
        return True

    def restore(self, message_bytes: int) -> None:
        """Take room for a message that was begun before a restart, whether there is any or not."""
        self.bytes += message_bytes

    def release(self, message_bytes: int) -> None:
        """The message is complete, or given up."""
        self.bytes -= message_bytes
