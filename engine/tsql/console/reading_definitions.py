"""Reading DDL, by the grammar that imports are read by, and BACKUP, RESTORE and FOR ATTACH."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from engine.core.vocabulary.errors import CatalogError
from engine.tsql.build import build_statements
from engine.tsql.console.failing import NOT_SUPPORTED, SYNTAX_ERROR, StatementFailed, failed
from engine.tsql.console.pieces import Walker
from engine.tsql.console.program import Backup, Block, Define, Expression, FailOver, Noted, Restore, Step, Unsupported
from engine.tsql.database_options import other_options, sets_options
from engine.tsql.files import broker_option_in, check_broker_options
from engine.tsql.following import Missing
from engine.tsql.sentence import Sentence
from engine.tsql.showing import quoted
from engine.tsql.showing import text_of as shown
from engine.tsql.statement_base import Place
from engine.tsql.tokens import Token, TokenKind
from engine.tsql.trees import Incomplete, Unexpected
from engine.tsql.words import STARTERS, STATEMENT_ENDS, Head, begins_query, head_at


def definition_step(walker: Walker) -> Define:
    """The statement of our grammar that begins here. Errors: 102, 153."""
    first = walker.token
    sentence = Sentence()
    while not (_is_over(walker.token) or begins_query(walker.tokens, walker.index)) and sentence.take(walker.token):
        walker.index += 1
    has_a_tail = first.is_word("CREATE") and walker.tokens[walker.index - 1] is not first
    if not sentence.can_end or not (_is_over(walker.token) or walker.token.is_word(*STARTERS) or has_a_tail):
        raise Missing(walker.index, sentence.expected())
    stop = walker.token
    try:
        statements = build_statements(sentence.finish(), Place(first.line, first.column), None)
    except Unexpected as error:
        raise _syntax(quoted(error.found), error.expected, error.place.line) from None
    except Incomplete as error:
        raise _syntax(shown(stop), error.expected, stop.line) from None
    except CatalogError as error:
        raise StatementFailed(error.number, error.text, line=first.line, why=error.why, cure=error.cure) from None
    lists_options = walker.token.is_word("WITH") and not begins_query(walker.tokens, walker.index)
    if lists_options or not (_is_over(walker.token) or walker.token.is_word(*STARTERS)):
        # Files, sizes and collation of a database, the default schema of a user: nothing of it matters here.
        walker.index = walker.end_of_statement()
    return Define(line=first.line, statements=statements)


def _syntax(found: str, expected: str, line: int) -> StatementFailed:
    return failed(SYNTAX_ERROR, at=line, found=found, expected=expected)


def _is_over(token: Token) -> bool:
    return token.is_mark(";") or token.kind in STATEMENT_ENDS


_FAILOVERS: Final = ("FAILOVER", "FORCE_SERVICE_ALLOW_DATA_LOSS")


def failover_step(walker: Walker) -> FailOver | None:
    """ALTER DATABASE name SET PARTNER FAILOVER, or by force; None for every other statement."""
    first, kind, name, verb, option, how = (walker.at(offset) for offset in range(6))
    is_it = first.is_word("ALTER") and kind.is_word("DATABASE") and verb.is_word("SET") and option.is_word("PARTNER")
    if not is_it or not how.is_word(*_FAILOVERS) or name.kind not in (TokenKind.WORD, TokenKind.QUOTED_NAME):
        return None
    walker.index += 2
    database = walker.name()
    walker.index += 3
    return FailOver(line=first.line, database=database, is_forced=how.value != _FAILOVERS[0])


def options_step(walker: Walker) -> Step | None:
    """ALTER DATABASE … SET of options: those that are modelled, and a note of the others. None for another statement.

    Errors: 102 for what is no option.
    """
    start, line = walker.index, walker.token.line
    if not sets_options(walker.tokens, start):
        return None
    is_ours = head_at(walker.tokens, start) is Head.OURS
    made: list[Step] = [definition_step(walker)] if is_ours else []
    if not is_ours:
        walker.index = walker.end_of_statement()
    name = walker.tokens[start + 2]
    options = other_options(walker.tokens, start, walker.index)
    if options:
        known = None if name.is_word("CURRENT") else name.text if name.kind is TokenKind.WORD else name.value
        made.append(Noted(line=line, database=known, options=options))
    return made[0] if len(made) == 1 else Block(line=line, statements=tuple(made))


def files_step(walker: Walker) -> Step | None:
    """BACKUP, RESTORE or CREATE DATABASE … FOR ATTACH; None for every other statement."""
    if walker.token.is_word("BACKUP", "RESTORE") and not walker.ahead.is_word("CERTIFICATE"):
        return _saved(walker)
    if walker.token.is_word("CREATE") and walker.ahead.is_word("DATABASE"):
        end = walker.end_of_statement()
        tail = walker.tokens.between(walker.index, end)
        if any(one.is_word("FOR") and other.is_word("ATTACH") for one, other in pairwise(tail)):
            return _attached(walker, end, tail)
    return None


def _saved(walker: Walker) -> Step:
    first = walker.token
    end = walker.end_of_statement()
    if not walker.ahead.is_word("DATABASE"):
        words = f"{first.value} {walker.ahead.text}"
        walker.index = end
        return Unsupported(line=first.line, words=words, number=NOT_SUPPORTED)
    walker.index += 2
    database = walker.name()
    walker.need_word("TO" if first.is_word("BACKUP") else "FROM")
    walker.need_word("DISK")
    walker.need_mark("=")
    line = walker.token.line
    at = walker.index
    walker.need(TokenKind.STRING, TokenKind.VARIABLE)
    file = walker.piece(at)
    check_broker_options(walker.tokens, walker.index, end)
    options = walker.tokens.between(walker.index, end)
    if options and not options[0].is_word("WITH"):
        raise Missing(walker.index, "WITH")
    walker.index = end
    if first.is_word("BACKUP"):
        return Backup(line=first.line, database=database, file=file)
    return Restore(
        line=first.line,
        database=database,
        file=Expression(file.text, line),
        option=broker_option_in(options),
        replaces=any(token.is_word("REPLACE") for token in options),
        is_recovered=not any(token.is_word("NORECOVERY", "STANDBY") for token in options),
        is_attached=False,
    )


_FILE_WORDS: Final = ("FILENAME",)


def _attached(walker: Walker, end: int, tail: list[Token]) -> Restore:
    first = walker.token
    walker.index += 2
    database = walker.name()
    file = None
    for number, token in enumerate(tail[:-2]):
        if token.is_word(*_FILE_WORDS) and tail[number + 1].is_mark("=") and tail[number + 2].kind is TokenKind.STRING:
            file = Expression(tail[number + 2].text, tail[number + 2].line)
            break
    if file is None:
        raise Missing(walker.index, "ON (FILENAME = 'file')")
    check_broker_options(walker.tokens, walker.index, end)
    walker.index = end
    return Restore(
        line=first.line,
        database=database,
        file=file,
        option=broker_option_in(tail),
        replaces=False,
        is_recovered=True,
        is_attached=True,
    )
