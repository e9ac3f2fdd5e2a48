"""Reads: the catalogue, sessions as they are now, gradings, progress."""
