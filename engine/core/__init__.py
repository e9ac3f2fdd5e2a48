"""The broker as a function: input and time in, reply, state changes, sends and events out.

Nothing in here opens a socket or a file, reads a clock or draws a number.
"""
