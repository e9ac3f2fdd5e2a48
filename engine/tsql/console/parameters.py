"""Parameters of a text that sp_executesql runs: their declarations, and which argument is of which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.tsql.console.failing import failed
from engine.tsql.console.pieces import Walker, missing
from engine.tsql.console.program import Argument, Expression
from engine.tsql.console.statement_end import BATCH_ENDS
from engine.tsql.console.types import SqlType
from engine.tsql.following import Missing
from engine.tsql.tokens import TokenKind, Tokens

PARAMETERS_MAX: Final = 2100


class Parameter(NamedTuple):
    """A parameter as it is declared."""

    name: str
    """In small letters."""
    type: SqlType
    default: Expression | None
    is_output: bool


def parameters_in(text: str) -> tuple[Parameter, ...]:
    """The declarations `@a int = 1, @b int OUTPUT`. Errors: 102, 105, 113, 134, 243, 8144."""
    tokens = Tokens(text)
    if tokens.unclosed:
        raise failed(105, at=1, found=tokens.unclosed[0].text, expected=tokens.unclosed[0].expected)
    walker = Walker(tokens, 0)
    found: list[Parameter] = []
    try:
        while walker.token.kind not in BATCH_ENDS or found:
            found.append(_parameter(walker))
            if len(found) > PARAMETERS_MAX:
                raise failed(8144, limit=PARAMETERS_MAX)
            if not walker.mark(","):
                break
        if walker.token.kind is not TokenKind.END:
            raise Missing(walker.index, "','")
    except Missing as error:
        raise missing(error, tokens) from None
    return tuple(found)


def _parameter(walker: Walker) -> Parameter:
    token = walker.token
    walker.need(TokenKind.VARIABLE)
    name = token.text.lower()
    if name.startswith("@@") or len(name) < 2:
        raise Missing(walker.index - 1, "the name of a parameter")
    if name in walker.declared:
        raise failed(134, at=token.line, name=token.text)
    walker.word("AS")
    declared = walker.type_here()
    default = walker.argument() if walker.mark("=") else None
    is_output = walker.word("OUTPUT", "OUT")
    walker.declared.add(name)
    return Parameter(name, declared, default, bool(is_output))


def matched(
    text: str, parameters: Sequence[Parameter], arguments: Sequence[Argument]
) -> list[tuple[Parameter, Argument | None]]:
    """Each parameter with its argument, None where its default counts. Errors: 8143, 8144, 8145, 8162, 8178."""
    if len(arguments) > len(parameters):
        raise failed(8144, limit=len(parameters))
    given: dict[str, Argument] = {}
    known = {each.name for each in parameters}
    for place, argument in enumerate(arguments):
        name = argument.name or parameters[place].name
        if name not in known:
            raise failed(8145, job="sp_executesql", name=name)
        if name in given:
            raise failed(8143, name=name)
        given[name] = argument
    found: list[tuple[Parameter, Argument | None]] = []
    for parameter in parameters:
        taken = given.get(parameter.name)
        if taken is not None and taken.output and not parameter.is_output:
            raise failed(8162, name=parameter.name)
        if taken is not None and taken.value is None:
            taken = None
        if taken is None and parameter.default is None:
            raise failed(8178, found=text, name=parameter.name)
        found.append((parameter, taken))
    return found
