"""What goes wrong around an instance rather than in it."""

from __future__ import annotations


class EngineUnavailable(Exception):
    """An instance could not be asked: nobody hosts it, it has failed, or the way to it is broken.

    The text is a sentence for a person. A command may have been carried out nevertheless; sending it again with the
    same `command_id` is safe and tells.
    """


class ReaderNotExpected(EngineUnavailable):
    """An instance hears no more from a reader: it has ended, another task runs it, or the instance was loaded anew."""
