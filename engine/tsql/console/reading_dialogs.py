"""Reading the statements that work on conversations (tsql.md 9)."""

from __future__ import annotations

from typing import Final

from engine.tsql.console.pieces import Walker, check_syntax
from engine.tsql.console.program import (
    BeginDialog,
    End,
    Expression,
    GetGroup,
    Move,
    Receive,
    Send,
    Step,
    Timer,
)
from engine.tsql.following import Missing
from engine.tsql.tokens import TokenKind

_DIALOG_OPTIONS: Final = ("RELATED_CONVERSATION", "RELATED_CONVERSATION_GROUP", "LIFETIME", "ENCRYPTION")
_LOCKED: Final = ("CONVERSATION_HANDLE", "CONVERSATION_GROUP_ID")
RECEIVED: Final = "@__received"
"""The table variable in which the messages of a RECEIVE stand while its columns are selected."""


def conversation_step(walker: Walker) -> Step:
    """The statement that begins here."""
    line = walker.token.line
    word = walker.token.value
    walker.index += 1
    match word:
        case "BEGIN" if walker.word("DIALOG"):
            return _begin(walker, line)
        case "BEGIN":
            walker.index += 1
            return _timer(walker, line)
        case "SEND":
            return _send(walker, line)
        case "RECEIVE":
            return _receive(walker, line, waits=False)
        case "GET":
            return _get(walker, line, waits=False)
        case "WAITFOR":
            return _wait(walker, line)
        case "MOVE":
            return _move(walker, line)
        case _:
            return _end(walker, line)


def _begin(walker: Walker, line: int) -> BeginDialog:
    walker.word("CONVERSATION")
    variable = walker.variable()
    walker.need_word("FROM")
    walker.need_word("SERVICE")
    from_service = walker.named()
    walker.need_word("TO")
    walker.need_word("SERVICE")
    to_service = walker.named()
    to_broker = walker.expression("ON", "WITH") if walker.mark(",") else None
    contract = None
    if walker.word("ON"):
        walker.need_word("CONTRACT")
        contract = walker.named()
    options: dict[str, Expression] = {}
    is_encrypted = True
    if walker.options():
        while True:
            option = walker.need_word(*_DIALOG_OPTIONS)
            walker.need_mark("=")
            if option in options:
                raise Missing(walker.index, f"{option} once")
            if option == "ENCRYPTION":
                is_encrypted = walker.need_word("ON", "OFF") == "ON"
            else:
                options[option] = walker.expression(*_DIALOG_OPTIONS)
            if not walker.mark(",") and not walker.token.is_word(*_DIALOG_OPTIONS):
                break
    return BeginDialog(
        line=line,
        variable=variable,
        from_service=from_service,
        to_service=to_service,
        to_broker=to_broker,
        contract=contract,
        related=options.get("RELATED_CONVERSATION"),
        related_group=options.get("RELATED_CONVERSATION_GROUP"),
        lifetime=options.get("LIFETIME"),
        is_encrypted=is_encrypted,
    )


def _timer(walker: Walker, line: int) -> Timer:
    walker.need_word("TIMER")
    walker.need_mark("(")
    handle = walker.expression()
    walker.need_mark(")")
    walker.need_word("TIMEOUT")
    walker.need_mark("=")
    return Timer(line=line, handle=handle, timeout=walker.expression())


def _send(walker: Walker, line: int) -> Send:
    walker.need_word("ON")
    walker.need_word("CONVERSATION")
    handles = walker.group() if walker.token.is_mark("(") else [_handle(walker)]
    message_type = None
    if walker.word("MESSAGE"):
        walker.need_word("TYPE")
        message_type = walker.named()
    body = None
    if walker.mark("("):
        body = walker.expression()
        walker.need_mark(")")
    return Send(line=line, handles=tuple(handles), message_type=message_type, body=body)


def _handle(walker: Walker) -> Expression:
    """A variable, or a text."""
    start = walker.index
    walker.need(TokenKind.VARIABLE, TokenKind.STRING)
    return walker.piece(start)


def _receive(walker: Walker, line: int, *, waits: bool) -> Receive:
    top = None
    if walker.word("TOP"):
        if walker.token.is_mark("("):
            top = walker.group()[0]
        else:
            start = walker.index
            walker.need(TokenKind.INTEGER, TokenKind.VARIABLE)
            top = walker.piece(start)
    start = walker.index
    if walker.token.is_word("FROM"):
        raise Missing(start, "a column")
    walker.need_expression("FROM", is_list=True)
    columns = walker.piece(start)
    walker.need_word("FROM")
    queue = walker.names()
    into = walker.variable() if walker.word("INTO") else None
    where = None
    if walker.word("WHERE"):
        column = walker.need_word(*_LOCKED)
        walker.need_mark("=")
        where = (column, walker.expression())
    # Errors name the table by its alias: the queue, as it is written.
    spoken = ".".join(queue).replace("]", "]]")
    selected = Expression(f"SELECT\t{columns.text}\tFROM {RECEIVED} AS [{spoken}]", columns.line)
    check_syntax(selected)
    return Receive(
        line=line,
        queue=queue,
        columns=selected,
        top=top,
        into=into,
        where=where,
        waits=waits,
        timeout=None,
    )


def _get(walker: Walker, line: int, *, waits: bool) -> GetGroup:
    walker.need_word("CONVERSATION")
    walker.need_word("GROUP")
    variable = walker.variable()
    walker.need_word("FROM")
    return GetGroup(line=line, variable=variable, queue=walker.names(), waits=waits, timeout=None)


def _wait(walker: Walker, line: int) -> Step:
    walker.need_mark("(")
    is_receive = walker.need_word("RECEIVE", "GET") == "RECEIVE"
    step: Receive | GetGroup = _receive(walker, line, waits=True) if is_receive else _get(walker, line, waits=True)
    walker.mark(";")
    walker.need_mark(")")
    if walker.mark(",") or walker.token.is_word("TIMEOUT"):
        walker.need_word("TIMEOUT")
        timeout = walker.expression()
        return _with_timeout(step, timeout)
    return step


def _with_timeout(step: Receive | GetGroup, timeout: Expression) -> Receive | GetGroup:
    if isinstance(step, GetGroup):
        return GetGroup(line=step.line, variable=step.variable, queue=step.queue, waits=True, timeout=timeout)
    return Receive(
        line=step.line,
        queue=step.queue,
        columns=step.columns,
        top=step.top,
        into=step.into,
        where=step.where,
        waits=True,
        timeout=timeout,
    )


def _move(walker: Walker, line: int) -> Move:
    walker.need_word("CONVERSATION")
    handle = _handle(walker)
    walker.need_word("TO")
    return Move(line=line, handle=handle, group=_handle(walker))


def _end(walker: Walker, line: int) -> End:
    walker.need_word("CONVERSATION")
    handle = _handle(walker)
    if not walker.options():
        return End(line=line, handle=handle)
    if walker.need_word("ERROR", "CLEANUP") == "CLEANUP":
        return End(line=line, handle=handle, with_cleanup=True)
    walker.need_mark("=")
    error = walker.expression("DESCRIPTION")
    walker.need_word("DESCRIPTION")
    walker.need_mark("=")
    return End(line=line, handle=handle, error=error, description=walker.expression())
