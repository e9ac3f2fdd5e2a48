"""The words of the engine: identifiers, time, limits, settings, errors, messages, commands, changes, events.

Nothing here imports anything else of ours. Read `messages.py` first: everything the broker does is done to
those values.
"""
