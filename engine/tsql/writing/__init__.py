"""Catalogs out, T-SQL in the order that a server accepts: whole scripts, and what leads from one revision to another.

Read `scripts` for what a script looks like and `statements_of` for which change becomes which statement; the other
modules hold the statements of one kind each. Nothing here asks the time: the same catalogs give the same bytes.
"""
