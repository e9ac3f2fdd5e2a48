"""The link of the PostgreSQL pair: `python -m tests.benchmarks.link.postgres_relay SOURCE DESTINATION BATCH`.

A batch is written at the destination, together with its last number, and committed there; only then is it gone at the
source. A batch that is repeated after a crash is recognised by the number.
"""

from __future__ import annotations

import sys
from typing import Final

from tests.benchmarks.link.postgres_queue import TableQueue, connect, rows_for_copy

LOOK_SECONDS: Final = 1.0


def main(source: str, destination: str, batch: int) -> None:
    """Carry rows until we are stopped."""
    outbox, inbox = TableQueue(source, "outbox", batch), connect(destination)
    while True:
        rows = outbox.take(LOOK_SECONDS)
        if not rows:
            continue
        with inbox.transaction():
            known = inbox.execute("SELECT last FROM watermark FOR UPDATE").fetchone()
            assert known is not None
            fresh = [row for row in rows if row[0] > known[0]]
            with inbox.cursor() as cursor, cursor.copy("COPY inbox FROM STDIN (FORMAT binary)") as copy:
                copy.write(rows_for_copy(fresh))
            inbox.execute("UPDATE watermark SET last = %s", (rows[-1][0],))
        outbox.commit()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
