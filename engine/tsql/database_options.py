"""Options of ALTER DATABASE … SET that say nothing about the network: which there are, and which a statement names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.tsql.following import Missing
from engine.tsql.tokens import TokenKind, Tokens
from engine.tsql.words import MODELLED_OPTIONS, words

DOCUMENTED: Final = words(
    """
    ACCELERATED_DATABASE_RECOVERY ALLOW_SNAPSHOT_ISOLATION ANSI_NULLS ANSI_NULL_DEFAULT ANSI_PADDING ANSI_WARNINGS
    ARITHABORT AUTOMATIC_TUNING AUTO_CLOSE AUTO_CREATE_STATISTICS AUTO_SHRINK AUTO_UPDATE_STATISTICS
    AUTO_UPDATE_STATISTICS_ASYNC CHANGE_TRACKING COMPATIBILITY_LEVEL CONCAT_NULL_YIELDS_NULL CONTAINMENT
    CURSOR_CLOSE_ON_COMMIT CURSOR_DEFAULT DATA_RETENTION DATE_CORRELATION_OPTIMIZATION DB_CHAINING
    DEFAULT_FULLTEXT_LANGUAGE DEFAULT_LANGUAGE DELAYED_DURABILITY EMERGENCY ENCRYPTION FILESTREAM
    MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT MIXED_PAGE_ALLOCATION NESTED_TRIGGERS NUMERIC_ROUNDABORT OPTIMIZED_LOCKING
    PAGE_VERIFY PARAMETERIZATION PERSISTENT_LOG_BUFFER QUERY_STORE QUOTED_IDENTIFIER READ_COMMITTED_SNAPSHOT RECOVERY
    RECURSIVE_TRIGGERS REMOTE_DATA_ARCHIVE RESTRICTED_USER SUPPLEMENTAL_LOGGING SUSPEND_FOR_SNAPSHOT_BACKUP
    TARGET_RECOVERY_TIME TEMPORAL_HISTORY_RETENTION TORN_PAGE_DETECTION TRANSFORM_NOISE_WORDS TWO_DIGIT_YEAR_CUTOFF
    VARDECIMAL_STORAGE_FORMAT
    """
)
_OF_PARTNERS: Final = ("PARTNER", "WITNESS", "HADR")


def sets_options(tokens: Tokens, index: int) -> bool:
    """Whether a statement is ALTER DATABASE … SET of options; partners and witnesses are something else."""
    first, kind, _, verb, option = (tokens[index + offset] for offset in range(5))
    is_it = first.is_word("ALTER") and kind.is_word("DATABASE") and verb.is_word("SET")
    return is_it and not option.is_word(*_OF_PARTNERS)


def other_options(tokens: Tokens, index: int, end: int) -> tuple[str, ...]:
    """The options that a statement names, up to `end`, and that change nothing here. Raises `Missing` for no option."""
    found = []
    for place in _options(tokens, index + 4, end):
        token = tokens[place]
        if token.kind is TokenKind.WORD and token.value in DOCUMENTED:
            found.append(token.value)
        elif token.kind is not TokenKind.WORD or token.value not in MODELLED_OPTIONS:
            raise Missing(place, "an option of ALTER DATABASE")
    return tuple(found)


def _options(tokens: Tokens, start: int, end: int) -> Iterator[int]:
    depth, is_first = 0, True
    if start >= end:
        yield start
    for place in range(start, end):
        token = tokens[place]
        if depth == 0 and token.is_word("WITH"):
            return
        if depth == 0 and is_first:
            yield place
        depth += token.is_mark("(") - token.is_mark(")")
        is_first = token.is_mark(",")
