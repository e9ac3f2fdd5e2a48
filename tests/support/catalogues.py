"""Compiled words of the pages that the server makes by itself: `make docs` writes them, Django reads them.

Each `django.po` of `brokerweb/locale` gets a `django.mo` beside it, in the format of GNU gettext (its manual, "The
Format of GNU MO Files"), so that nobody needs the tools of gettext.
"""

import ast
import struct
from pathlib import Path

LOCALE = Path(__file__).parents[2] / "brokerweb" / "locale"

_MAGIC = 0x950412DE
_HEADER = 28
"""Bytes in front of the tables: magic, revision, count, both tables' places, and a hash table that is not there."""


def messages(text: str) -> dict[str, str]:
    """What a `.po` says for each text; the forms of a plural are joined by NUL on both sides, as in the `.mo`."""
    found: dict[str, str] = {}
    for block in text.split("\n\n"):
        said: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            if line.startswith('"'):
                said[keyword] += ast.literal_eval(line)
            elif not line.startswith("#") and line:
                keyword, _, rest = line.partition(" ")
                said[keyword] = ast.literal_eval(rest)
        if said:
            key = "\0".join(said[name] for name in ("msgid", "msgid_plural") if name in said)
            found[key] = "\0".join(words for name, words in said.items() if name.startswith("msgstr"))
    return found


def compiled(said: dict[str, str]) -> bytes:
    """The `.mo` of these messages, the same bytes each time."""
    pairs = sorted((key.encode(), words.encode()) for key, words in said.items())
    place = _HEADER + 16 * len(pairs)
    tables, heap = [], b""
    for side in (0, 1):
        for pair in pairs:
            tables.append(struct.pack("<II", len(pair[side]), place + len(heap)))
            heap += pair[side] + b"\0"
    header = struct.pack("<7I", _MAGIC, 0, len(pairs), _HEADER, _HEADER + 8 * len(pairs), 0, place)
    return header + b"".join(tables) + heap


def sources() -> list[Path]:
    """Every `django.po` there is."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/django.po"))


def main() -> None:
    """Write every `django.mo` anew."""
    for source in sources():
        source.with_suffix(".mo").write_bytes(compiled(messages(source.read_text("utf-8"))))


if __name__ == "__main__":
    main()
