"""The adjacent broker protocol without a socket: what two neighbouring instances say to each other, and when.

Start with `frames.py` (the words), then `states.py` (when they may be said), `codec.py` (how they look as bytes) and
`connection.py`, which ties the three together.
"""
