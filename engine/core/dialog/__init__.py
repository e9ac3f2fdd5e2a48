"""Exactly once, in order: the halves of a conversation endpoint and the states it goes through (protocol.md 3, 8)."""
