"""A script less some of its statements: what somebody has looked at and does not want."""

from __future__ import annotations

from collections.abc import Set

import msgspec

from engine.core.vocabulary.identifiers import MASTER
from engine.tsql.described import described
from engine.tsql.statements import Connect, Ignored, Script, Use

LEFT_OUT = "Left out."


def without_lines(script: Script, lines: Set[int]) -> Script:
    """The script without the statements that begin in `lines`, and without what is wrong there.

    :CONNECT and USE stay: what follows them would mean something else. What is left out is listed as ignored.
    """
    if not lines:
        return script
    kept, ignored = [], []
    for statement in script.statements:
        if statement.place.line not in lines or isinstance(statement, Connect | Use):
            kept.append(statement)
            continue
        verb, kind, name = described(statement, MASTER)
        text = " ".join(word for word in (verb, kind.upper(), name) if word)
        ignored.append(Ignored(statement.place.line, statement.place.column, text, LEFT_OUT))
    known = {each.line for each in ignored} | {each.line for each in script.ignored}
    broken = {problem.line: problem for problem in script.problems if problem.line in lines}
    ignored.extend(Ignored(line, problem.column, "", LEFT_OUT) for line, problem in broken.items() if line not in known)
    return msgspec.structs.replace(
        script,
        statements=tuple(kept),
        ignored=(*script.ignored, *ignored),
        problems=tuple(problem for problem in script.problems if problem.line not in lines),
    )
