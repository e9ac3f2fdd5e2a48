"""Damaged T-SQL for the reader: `python -m tests.support.tsql_fuzzing [SCRIPTS] [SEED]`, `make fuzz-tsql`.

A script is whole statements, then a wound, then whole statements again; the wound is statements of the corpus or a part
of a shipped script that were cut, doubled, swapped, or had marks and words thrown in. Nothing may be raised, by the
reader nor by the planner of an import; reading takes no longer than its length explains; every mistake has a place
inside the script and says what was expected; what stands before and, where the wound leaves nothing open, after it is
read as if there were no wound.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable

from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.sample_estates import samples
from engine.tsql.statements import Script
from engine.tsql.tokens import TokenKind, Tokens
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.tsql_corpus import STEPPED_OVER, UNDERSTOOD

SCRIPTS_DEFAULT = 100_000
SECONDS_MAX = 2.0
"""Of processor time for one script of a few thousand letters; the usual is a few milliseconds."""
SYNTAX_ERROR = 102
PLANNED = 0.1
"""The share of scripts for which an import is planned as well."""

CORPUS = [*UNDERSTOOD, *(text for texts in STEPPED_OVER.values() for text in texts)]
SHIPPED = [text for sample in samples() for _, text in sample.scripts]
_SIGNS = (
    "'",
    '"',
    "[",
    "]",
    "(",
    ")",
    ";",
    ",",
    "=",
    ".",
    ":",
    "::",
    "--",
    "/*",
    "*/",
    "\\",
    "!!",
    "@",
    "@@x",
    "$(",
    "#",
)
_LETTERS = ("\n", "\r", "\t", "\x00", "\ufeff", "\u2028", "é", "𝔖", "\ud800", "0x", "0xZ", "N'", "''", "]]")
_LINES = (
    "\nGO\n",
    "\n:CONNECT x\n",
    "\n:",
    "-- host: ,\n",
    "-- host_names:\n",
    "-- role: mirror\n",
    "\n:setvar v [x\n",
    "$(v)",
)
_HINTS = ("-- broker_instance: x\n", "-- expires_at: 9999-99-99\n")
_WORDS = [
    "CREATE",
    "ALTER",
    "DROP",
    "IF",
    "ELSE",
    "BEGIN",
    "END",
    "WITH",
    "WHILE",
    "CASE",
    "GRANT",
    "USE",
    "GO",
    "NULL",
    "ROLLBACK",
    "COMMIT",
    "99999999999999999999",
]
_PHRASES = ("IF EXISTS (", "BEGIN TRY", "END TRY", "BEGIN CATCH", "BEGIN TRAN", "CREATE PROCEDURE p AS", "EXEC (")
_LONG = ("9" * 5000, "(" * 500, "[" * 300, "/*" * 200)
MARKS = (*_SIGNS, *_LETTERS, *_LINES, *_HINTS, *(f" {word} " for word in (*_WORDS, *_PHRASES)), *_LONG)


_INSTANCE = InstanceName("P")


class Defect(AssertionError):
    """The reader did what it must not do; the message holds the script."""


class TsqlFuzzer:
    """One seed's stream of damaged scripts; the same seed gives the same scripts."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.scripts = 0
        self.outcomes: Counter[str] = Counter()
        self.slowest = 0.0

    def run(self, scripts: int, progress: Callable[[int], None] = lambda done: None) -> None:
        """Read so many scripts; the first `Defect` is raised."""
        until = self.scripts + scripts
        while self.scripts < until:
            self.scripts += 1
            self._try(self._whole(), self._wound(), self._whole())
            if self.scripts % 100 == 0:
                progress(self.scripts)

    # ── judging ──
    def _try(self, before: str, wound: str, after: str) -> None:
        head = f"{before}\nGO\n"
        text = f"{head}{wound}\nGO\n{after}"
        began = time.process_time()
        try:
            script = parse_script(text, "s.sql")
            if self.dice.random() < PLANNED:
                plan_import(
                    [script], {}, default_instance=InstanceName("P"), now=UtcTime(1e9), entropy=NumberedEntropy()
                )
        except Exception as error:
            raise Defect(f"{error!r} of\n{text}") from error
        seconds = time.process_time() - began
        self.slowest = max(self.slowest, seconds)
        if seconds > SECONDS_MAX:
            raise Defect(f"{seconds:.1f} s for\n{text}")
        self._check_places(script, text)
        first, last = head.count("\n"), f"{head}{wound}\nGO\n".count("\n")
        if _told(script, 0, first) != _told(parse_script(head, "s.sql"), 0, first):
            raise Defect(f"what stands before the wound is read otherwise:\n{text}")
        if _leaves_nothing_open(wound):
            self.outcomes["wounds that leave nothing open"] += 1
            if _told(script, last, sys.maxsize) != _told(parse_script(after, "s.sql"), 0, sys.maxsize):
                raise Defect(f"what stands after the wound is read otherwise:\n{text}")
        self.outcomes["statements read"] += len(script.statements)
        self.outcomes["statements stepped over"] += len(script.ignored)
        for problem in script.problems:
            self.outcomes[f"mistake {problem.number}"] += 1

    def _check_places(self, script: Script, text: str) -> None:
        lines = text.split("\n")
        for problem in script.problems:
            is_inside = 1 <= problem.line <= len(lines) and 1 <= problem.column <= len(lines[problem.line - 1]) + 1
            if not is_inside:
                raise Defect(f"{problem} lies outside of\n{text}")
            if problem.number == SYNTAX_ERROR and not problem.parameters.get("expected"):
                raise Defect(f"{problem} does not say what was expected in\n{text}")
            if not problem.text:
                raise Defect(f"{problem} says nothing of\n{text}")

    # ── making ──
    def _whole(self) -> str:
        """Some statements as they should be."""
        chosen = self.dice.choices(CORPUS, k=self.dice.randrange(1, 5))
        return self.dice.choice(("\n", ";\n", "\nGO\n")).join(text.rstrip(";") for text in chosen)

    def _wound(self) -> str:
        if self.dice.random() < 0.3:
            shipped = self.dice.choice(SHIPPED)
            start = self.dice.randrange(len(shipped))
            text = shipped[start : start + self.dice.randrange(20, 1500)]
        else:
            text = self._whole()
        for _ in range(self.dice.choice((1, 1, 1, 2, 3, 8))):
            text = self._damaged(text)
        return text

    def _damaged(self, text: str) -> str:
        """One damage, somewhere."""
        dice = self.dice
        start, end = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        match dice.randrange(8):
            case 0:
                return text[:start] + text[end:]
            case 1:
                return text[:end]
            case 2:
                return text[:end] + text[start:end] + text[end:]
            case 3:
                words = text.split(" ")
                dice.shuffle(words)
                return " ".join(words)
            case 4:
                at = dice.randrange(len(text) + 1)
                return text[:at] + text[at + 1 :]
            case 5:
                return text[:start] + "".join(map(chr, dice.choices(range(1, 0x300), k=5))) + text[start:]
            case _:
                return text[:start] + dice.choice(MARKS) + text[start:]


def _told(script: Script, first: int, last: int) -> list[object]:
    """What was read between two lines, whatever stands elsewhere: statements, what was stepped over, mistakes."""
    return [
        *((type(each).__name__, each.place.line - first, each.place.column) for each in script.statements
          if first < each.place.line <= last),
        *((each.text, each.line - first, each.column) for each in script.ignored if first < each.line <= last),
        *((each.text, each.line - first, each.column) for each in script.problems if first < each.line <= last),
    ]  # fmt: skip


def _leaves_nothing_open(wound: str) -> bool:
    """Whether every quote, bracket and comment that the wound opens is closed in it."""
    tokens, number = Tokens(f"{wound}\n"), 0
    while tokens[number].kind is not TokenKind.END:
        number += 1
    return not tokens.unclosed


def main(scripts: int, seed: int) -> None:
    """Read scripts with a bar that shows how far it is, then say what came of them."""
    fuzzer = TsqlFuzzer(seed)
    began = time.monotonic()

    def progress(done: int) -> None:
        if sys.stderr.isatty() or done % max(scripts // 10, 100) == 0:
            share = done / scripts
            bar, end = "#" * int(40 * share), "\r" if sys.stderr.isatty() else "\n"
            rate = done / (time.monotonic() - began)
            sys.stderr.write(f"[{bar:40}] {share:4.0%}  {done:,} scripts, {rate:,.0f}/s{end}")
            sys.stderr.flush()

    fuzzer.run(scripts, progress)
    seconds = time.monotonic() - began
    lines = [
        f"\nseed {seed}: {fuzzer.scripts:,} scripts in {seconds:.0f} s, the slowest in {fuzzer.slowest * 1000:.0f} ms",
        *(f"{count:>10,}  {outcome}" for outcome, count in sorted(fuzzer.outcomes.items())),
        "Nothing was raised; every mistake has its place and what was expected; nothing away from a wound was lost.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else SCRIPTS_DEFAULT,
        int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32),
    )
