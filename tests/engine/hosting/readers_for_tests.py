"""Readers for tests, in a module that workers are told of.

What they do is written into a file, a line each, which tells how many of them could do anything at once.
"""

import math
import os
import time
from pathlib import Path
from uuid import uuid4

from engine.hosting.readers import receiving, register_reader

MARKS = Path(os.environ.get("MARKS", "marks"))
GO = MARKS.with_suffix(".go")
"""Readers that hold go on when this is there."""


TIMER_SECONDS = 100_000
"""Later than any test ends."""


def mark(*words: object) -> None:
    with MARKS.open("a", encoding="utf-8") as file:
        file.write(" ".join(map(str, (os.getpid(), *words))) + "\n")


def heard(run, carry_out):
    """Carry out a statement of a run, and mark the moment before it, when the instance still counted this reader."""
    asked_at = time.monotonic()
    carried = carry_out()
    mark("heard", run, asked_at)
    return carried


def answer(session, rows):
    for row in rows:
        session.send(row.conversation_handle, b"re " + row.message_body)


def hold(session):
    """Take a message, hold it until told to go on, answer; then whatever else there is."""
    run = uuid4()
    mark("began", run, time.monotonic())
    try:
        with session.transaction():
            for row in heard(run, lambda: session.receive(wait_seconds=1)):
                mark("holds", row.message_body.decode())
                while not GO.exists():
                    time.sleep(0.1)
                    # By a statement it notices that its host has gone.
                    heard(run, lambda row=row: session.begin_timer(row.conversation_handle, TIMER_SECONDS))
                heard(run, lambda row=row: answer(session, [row]))
        heard(run, lambda: receiving(answer, top=10)(session))
    finally:
        mark("ended")


def fail(_session, rows):
    mark("fails", *(row.message_body.decode() for row in rows))
    raise ValueError("unlesbar")


register_reader("dbo.antworten", receiving(answer, top=10))
register_reader("dbo.halten", hold)
register_reader("dbo.warten", receiving(answer, wait_seconds=math.inf))
register_reader("dbo.scheitern", receiving(fail))
