"""Writes: sessions of the operator training, what is done in them, and groups of trainers."""
