"""Reads of the wanted topology; they write nothing."""
