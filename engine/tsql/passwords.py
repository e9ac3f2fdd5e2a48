"""Passwords in scripts, hidden before a script is kept.

Works on the text and not on tokens: a password may also be in a comment, in a text that EXECUTE runs, after a quote
that is never closed, and in what is no T-SQL. All that is matched has a bound, so the time is linear in the script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from typing import Final

HIDDEN: Final = "***"
_HIDDEN_BINARY: Final = "0x00"

_GAP: Final = r"(?:\s{1,50}+|/\*[^*]{0,50}+\*/|--[^\n]{0,100}+\n){0,8}+"
_TYPE: Final = r"(?:AS\s{1,50}+)?\w{1,40}+(?:\s{0,9}+\([^()]{0,20}+\))?"
"""Of a variable that is declared with its value."""
_WORD: Final = "(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|KEY_SOURCE|IDENTITY_VALUE)"
_LITERAL: Final = re.compile(
    rf"""
    (?P<before>
        {_WORD}\w{{0,64}}+[\]"]?(?:{_GAP}{_TYPE})?{_GAP}={_GAP}(?:\({_GAP}){{0,9}}+
      | \b(?:PWDENCRYPT|PWDCOMPARE|ENCRYPTBYPASSPHRASE|DECRYPTBYPASSPHRASE){_GAP}\({_GAP}
      | \bsp_(?:addlogin|password|setapprole|addapprole|approlepassword|addlinkedsrvlogin)\b[^'\n]{{0,200}}+
    )
    (?:(?P<binary>0x[0-9a-f]++)|N?(?P<quotes>'++|"++))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_JOIN: Final = rf"{_GAP}[+,]{_GAP}(?:\w{{1,40}}+{_GAP}\({_GAP})?"
"""Between the pieces of a text that is put together: a sign, and perhaps a function around the next piece."""
_FROM_VARIABLE: Final = re.compile(
    rf"""
    {_WORD}\w{{0,64}}+[\]"]?{_GAP}={_GAP}(?:\({_GAP}){{0,9}}+(?:N?'{{1,31}}+{_JOIN})?@(?P<name>\w{{1,128}}+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ASSIGNED: Final = re.compile(
    rf"""(?P<before>@(?P<name>\w{{1,128}}+)(?:{_GAP}{_TYPE})?{_GAP}={_GAP})"""
    r"""(?:(?P<binary>0x[0-9a-f]++)|N?(?P<quotes>'++|"++))""",
    re.IGNORECASE,
)
"""A literal that is assigned to a variable, or given for a parameter of that name."""
_CLIENT_LINE: Final = re.compile(
    r"""^(?P<before>
        [^\S\n]{0,50}+:setvar[^\S\n]{1,50}+[^\s]{0,200}(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET)[^\s]{0,200}[^\S\n]{1,50}+
      | [^\S\n]{0,50}+:connect[^\n]{0,400}?\s-P[^\S\n]{0,50}+
    )(?P<value>[^\n]++)""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_VARIABLE: Final = re.compile(r"\$\([^()\s]{1,128}\)")
_RUNS: Final = {"'": re.compile("'++"), '"': re.compile('"++')}
_GOES_ON: Final = re.compile(rf"{_GAP}\+{_GAP}N?(?P<quotes>'++)")
_NEXT_PIECE: Final = re.compile(rf"(?:{_GAP}\))?{_JOIN}(?:@@?\w{{1,128}}+|N?(?P<text>'(?:[^']++|'')*+'))")
_NEXT_ARGUMENT: Final = re.compile(rf"{_GAP}[+,]{_GAP}(?:@\w{{1,128}}+{_GAP}={_GAP})?N?(?P<quotes>'++)")


_Search = Callable[[str, int], re.Match[str] | None]


def without_passwords(script: str) -> str:
    """The script with `***` for each password; lines stay where they are.

    What stands in the place of a password is hidden: after PASSWORD =, SECRET = and the like, as an argument of the
    procedures and functions that take passwords, and as the value of a sqlcmd variable of such a name. A variable in
    that place stays, and the texts that are assigned to it anywhere are hidden.
    """
    hidden = _without_literals(script, _LITERAL.search)
    names = {found["name"].lower() for found in _FROM_VARIABLE.finditer(script)}
    if names:
        hidden = _without_literals(hidden, _ASSIGNED.search, names)
    return _CLIENT_LINE.sub(lambda found: f"{found['before']}{HIDDEN}", hidden)


def _without_literals(script: str, search: _Search, names: Container[str] | None = None) -> str:
    """Hide what a search finds; with `names` only what it finds of these variables."""
    pieces: list[str] = []
    done = 0
    while (found := search(script, done)) is not None:
        if names is not None and found["name"].lower() not in names:
            pieces.append(script[done : found.end("before")])
            done = found.end("before")
            continue
        pieces.append(script[done : found.start("quotes") if found["binary"] is None else found.start("binary")])
        if found["binary"] is not None:
            pieces.append(_HIDDEN_BINARY)
            done = found.end()
            continue
        if len(found["quotes"]) % 2 == 1 and _NEXT_PIECE.match(script, found.end()):
            done = _hide_pieces(script, found.start("quotes"), found.end(), pieces)
            continue
        done = _hide(script, found.start("quotes"), pieces)
        further = _NEXT_ARGUMENT.match if found["before"].lower().startswith("sp_") else _GOES_ON.match
        while (more := further(script, done)) is not None:
            pieces.append(script[done : more.start("quotes")])
            done = _hide(script, more.start("quotes"), pieces)
    pieces.append(script[done:])
    return "".join(pieces)


def _hide_pieces(script: str, start: int, done: int, pieces: list[str]) -> int:
    """Hide what is put together behind a text that ends where a password begins: '…PASSWORD = ''' + 'x' + ''''.

    Ends at the piece that begins with the closing quote of the password, and answers where that is.
    """
    pieces.append(script[start:done])
    while (piece := _NEXT_PIECE.match(script, done)) is not None:
        if piece["text"] is None:
            pieces.append(piece[0])
        else:
            pieces.append(script[done : piece.start("text")])
            if piece["text"].startswith("'''"):
                return piece.start("text")
            pieces.append(f"'{HIDDEN}{chr(10) * piece['text'].count(chr(10))}'")
        done = piece.end()
    return done


def _hide(script: str, start: int, pieces: list[str]) -> int:
    """Put the literal that begins at `start` hidden to the pieces, and answer where it ends."""
    quote = script[start]
    run = _RUNS[quote].match(script, start)
    assert run is not None, "a quote begins it"
    count = len(run[0])
    # Within a text the quotes are doubled, once for each text around it: '…PASSWORD = ''x''…'.
    edge = count & -count
    if edge > 1 and (run.end() == len(script) or script[run.end()] in " \t\r\n;,)"):
        # The empty text.
        pieces.append(run[0])
        return run.end()
    begin = start + edge
    for closing in _RUNS[quote].finditer(script, run.end()):
        if (quotes := len(closing[0]) // edge) % 2 == 1:
            # All but the last of them are quotes in the text.
            end = closing.start() + quotes * edge
            content = script[begin : end - edge]
            break
    else:
        line_end = script.find("\n", begin)
        end = len(script) if line_end < 0 else line_end
        content = script[begin:end]
        pieces.append(quote * edge + HIDDEN)
        return end
    shown = content if _VARIABLE.fullmatch(content) else HIDDEN + "\n" * content.count("\n")
    pieces.append(f"{quote * edge}{shown}{quote * edge}")
    return end
