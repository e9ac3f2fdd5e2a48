"""Diagnosis: what an experienced administrator would object to in the definitions of an estate (diagnose.md 2)."""
