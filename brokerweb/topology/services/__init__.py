"""Decisions about the wanted topology, and their way to the engine."""
