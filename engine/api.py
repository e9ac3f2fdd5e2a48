"""The engine's one door for everybody outside: define, ask, command, read.

Everything here takes and returns values of `engine.contracts`; nothing of the core's machinery leaves.
"""
