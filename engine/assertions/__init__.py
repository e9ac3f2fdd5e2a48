"""Answers that are to stay as they are: pinned, kept in files, run, and what of an estate they exercise."""
