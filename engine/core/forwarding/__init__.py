"""Passing on what is for somebody else: in memory, bounded, never acknowledged, never stored (protocol.md 7.4)."""
