"""Every function, conversion, operator and condition of the console over hostile texts: `python -m … GROUP`."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from engine.tsql.console import aggregates, conditions, operators, program, types
from engine.tsql.console.failing import StatementFailed
from engine.tsql.console.functions import SCALARS
from engine.tsql.console.outputs import Failed, ResultSet
from engine.tsql.console.session import ConsoleSession
from engine.tsql.console.session_functions import SESSION_FUNCTIONS
from engine.tsql.console.sources import variable_column
from tests.support.bounded_process import begin
from tests.support.console_world import Consoles
from tests.support.hostile_texts import UNITS, hostile_texts, repeated
from tests.support.thoroughness import share

DATABASE = "master"
PLAIN = {
    "source": "nvarchar(max)",
    "target": "nvarchar(max)",
    "path": "(//a//@b)[1]",
    "escape": None,
    "style": None,
    "is_exact": 0,
    "document": "<a/>",
}
"""What an argument is when it is not hostile, by its name; else it is a letter."""
GUID = "01234567-89AB-CDEF-0123-456789ABCDEF"
LETTERS: dict[str, Any] = {"i": 3, "f": 1.5, "p": "day", "m": "2026-01-31 00:00:00.000", "g": GUID}
"""The same by the letters that say what scalar functions take."""
NUMBERED = ("t_identity", "t_top", "t_whole")
"""Take numbers alone, which are made before they are called."""


def tried(call: Callable[[], object]) -> None:
    """Whatever it answers: a value, or a numbered refusal."""
    with suppress(StatementFailed):
        call()


def named(name: str) -> list[Any]:
    """The arguments of a function, none of them hostile."""
    if name.startswith("f_"):
        scalar = SCALARS.get(name[2:].upper()) or SESSION_FUNCTIONS[name[2:].upper()]
        return [LETTERS.get(letter, "a") for letter in scalar.takes]
    parameters = inspect.signature(operators.FUNCTIONS[name]).parameters
    return [PLAIN.get(each, "a") for each in parameters]


def functions() -> None:
    """All that is given to the tables in memory; each argument that may be a text is hostile alone, then all are."""
    session = ConsoleSession(Consoles().target(), DATABASE)
    given = {**operators.FUNCTIONS, **session.evaluator._answers.functions()}
    texts = share(list(hostile_texts()), 24)
    for name, function in given.items():
        if name in NUMBERED or name in ("t_cast", "t_try_cast"):
            continue
        plain = named(name)
        places = [at for at, value in enumerate(plain) if isinstance(value, str) and value not in (LETTERS["p"], GUID)]
        for label, text in texts:
            begin(f"{name} {label}")
            for hostile in [(at,) for at in places] + [tuple(places)]:
                values = [text if at in hostile else value for at, value in enumerate(plain)]
                tried(lambda values=values, function=function: function(*values))


def conversions() -> None:
    """Every type into every other one."""
    texts = [*share(list(hostile_texts()), 16), ("empty", ""), ("short", "1")]
    sources = ("nvarchar(max)", "varchar(max)", "xml", "varbinary(max)")
    for target, source in itertools.product(sorted(types.KNOWN), sources):
        written = f"{target}(max)" if target in ("nvarchar", "varchar", "varbinary") else target
        for label, text in texts:
            begin(f"{source} {label} as {written}")
            value = text if source != "varbinary(max)" else text.encode("utf-16-le", "surrogatepass")
            for style in (None, 1):
                tried(
                    lambda value=value, source=source, style=style, written=written: operators.FUNCTIONS["t_cast"](
                        value, source, written, style
                    )
                )


def expressions() -> Iterator[str]:
    """Each aggregate, window, operator and condition, over a variable and a column, as a script has them."""
    for name in sorted(aggregates.AGGREGATES):
        argument = "a, a" if name == "STRING_AGG" else "CAST(LEN(a) AS float)" if name in ("SUM", "AVG") else "a"
        yield f"SELECT LEN(CAST({name}({argument}) AS nvarchar(max))) FROM @t"
        if name != "STRING_AGG":
            yield f"SELECT LEN(CAST({name}({argument}) OVER (ORDER BY a) AS nvarchar(max))) FROM @t"
    for sign in ("+", "-", "*", "/", "%", "&", "|", "^"):
        yield f"SELECT LEN(CAST(@h {sign} a AS nvarchar(max))) FROM @t"
    for kind in conditions._CONDITIONS:
        yield from CONDITIONS.get(kind.__name__, (f"@h {kind(this='1', expression='2').sql()[2:-2]} a",))
    for name, scalar in {**SCALARS, **SESSION_FUNCTIONS}.items():
        arguments = ", ".join(
            {"p": "day", "i": "3", "f": "1.5", "m": "'2026-01-31'"}.get(each, "a") for each in scalar.takes
        )
        yield f"SELECT LEN(CAST({name}({arguments}) AS nvarchar(max))) FROM @t"


CONDITIONS = {
    "And": ("a = @h AND @h = a",),
    "Or": ("a = @h OR @h = a",),
    "Not": ("NOT a = @h",),
    "Paren": ("(a = @h)",),
    "Is": ("a IS NULL",),
    "Between": ("a BETWEEN @h AND @h",),
    "In": ("a IN (@h, 'a')", "a IN (SELECT a FROM @t)"),
    "Exists": ("EXISTS (SELECT 1 FROM @t WHERE a = @h)",),
    "Like": (
        "a LIKE @h",
        "a LIKE '%a%a%a%a%a%a%a%a%b'",
        "a LIKE '%[a-z]_[^b]%_b'",
        "a LIKE N'%' + REPLICATE('a', 3900) + '_b%'",
    ),
    "Escape": ("a LIKE @h ESCAPE '!'",),
}


def statements() -> None:
    """Whole statements, as SQLite runs them for a session."""
    session = ConsoleSession(Consoles().target(), DATABASE)
    evaluator = session.evaluator
    wanted = [each if each.startswith("SELECT") else f"SELECT COUNT(*) FROM @t WHERE {each}" for each in expressions()]
    wanted += ["SELECT TOP 1 LEN(a) FROM @t ORDER BY a DESC", "SELECT COUNT(*) FROM (SELECT DISTINCT a FROM @t) d"]
    wanted += ["SELECT COUNT(*) FROM @t x JOIN @t y ON x.a = y.a", "SELECT MIN(LEN(a)) FROM @t GROUP BY a"]
    wanted += [f"SELECT CASE WHEN CAST(a AS xml).exist('{path}') = 1 THEN 1 END FROM @t" for path in PATHS]
    column = variable_column(program.TableColumn(name="a", type=types.NVARCHAR))
    for label, text in share(list(itertools.islice(hostile_texts(), None, None, 7)), 6):
        with evaluator.batch():
            evaluator.declare("@h", types.NVARCHAR)
            evaluator.variables["@h"].value = text
            evaluator.declare_table("@t", (column,))
            evaluator.store("@t", [(text,), (text[:-1] + "!",)])
            for sql in wanted:
                begin(f"{label}: {sql}")
                tried(lambda sql=sql: evaluator.run(program.Expression(sql, 1), DATABASE))


PATHS = ("/a", "//a", "//a//a//a//a", "(//*//@b)[7]", "//text()", "(//*)[99999]")


def documents() -> None:
    """Paths over documents that are deep, broad, or full of the same, or of namespaces."""
    begin("query of an element with many namespaces")
    declared = " ".join(f"xmlns:p{number}='{number}' p{number}:b='1'" for number in range(50_000))
    tried(lambda: operators.FUNCTIONS["t_xml_query"](f"<a {declared}/>", "/a"))
    of_xml = operators.FUNCTIONS["t_xml_value"], operators.FUNCTIONS["t_xml_exist"]
    size = 100_000
    for label, document in {
        "deep": "<a>" * 9_000 + "</a>" * 9_000,
        "too deep": "<a>" * size,
        "broad": "<a/>" * size,
        "many names": "".join(f"<a{number}/>" for number in range(size // 2)),
        "many attributes": "<a " + " ".join(f"b{number}='1'" for number in range(size // 2)) + "/>",
        "long text": f"<a>{'x' * size * 5}</a>",
        "text in pieces": f"<a>{'x<b/>' * size}</a>",
        "combed": "<a>x" * 5_000 + "<b>y</b>" * 10_000 + "</a>" * 5_000,
    }.items():
        for path in (*PATHS, *(f"({'//a' * 90})[{number}]" for number in (1, 8_000))):
            begin(f"{label} {path[:30]}")
            for method in of_xml:
                tried(lambda method=method, document=document, path=path: method(document, path))


def scripts() -> None:
    """Scripts, and texts that EXECUTE runs, that are nothing but repetition; each ends within its budget."""
    session = ConsoleSession(Consoles().target(), DATABASE)
    for unit, before in itertools.product(share(list(UNITS.values()), 16), ("", "SELECT 1 WHERE 1 = ")):
        begin(f"{before}{unit!r}")
        for number, _ in enumerate(session.run(repeated(unit, before, length=50_000))):
            if number > 100:
                break
    for label, script in {
        "IN": f"SELECT 1 WHERE 1 IN ({repeated('1,', length=150_000)}1)",
        "+": f"SELECT 1{repeated(' + 1', length=150_000)}",
        "AND": f"SELECT 1 WHERE 1 = 1{repeated(' AND 1 = 1', length=150_000)}",
        "UNION": f"SELECT 1{repeated(' UNION SELECT 1', length=150_000)}",
        "method": f"SELECT a{repeated('.b(1)', length=150_000)}",
        "star": "WITH w0 AS (SELECT 1 AS x, 2 AS y)"
        + "".join(f", w{n} AS (SELECT a.*, b.* FROM w{n - 1} a, w{n - 1} b)" for n in range(1, 25))
        + " SELECT * FROM w24",
        "BETWEEN": f"SELECT {'CASE WHEN ' * 15}1{' BETWEEN 0 AND 1 THEN 1 ELSE 0 END' * 15}",
        "NULLIF": f"SELECT {'NULLIF(' * 40}1{', 1)' * 40}",
        "IN of much": f"SELECT 1 WHERE (1{' + 1' * 90}) IN (1{', 1' * 9_000})",
        "CASE of much": f"SELECT CASE (1{' + 1' * 90}){' WHEN 1 THEN 1' * 4_000} END",
    }.items():
        begin(label)
        list(session.run(script))


LONG = "DECLARE @a nvarchar(max) = REPLICATE(N'a', 7000000), @n int = 0; "
ROWS = "sys.service_message_types"
NESTED = "CAST(REPLICATE('<a>', 400) + REPLICATE('</a>', 400) AS xml)"
FIVE = "REPLICATE('a', 5000000)"
TABLE = "DECLARE @t TABLE (a nvarchar(max)); "
MEMORY: dict[str, int | str] = {
    "SELECT LEN(REPLACE(REPLICATE('a', 150), 'a', REPLICATE('b', 7000000)))": 8657,
    f"{LONG}SELECT LEN(CONCAT({', '.join(['@a'] * 90)}))": 8657,
    f"{LONG}SELECT LEN(CONCAT_WS(@a, {', '.join(['@n'] * 90)}))": 8657,
    f"SELECT {', '.join(['REPLICATE(CHAR(97), 8000000)'] * 300)}": 8657,
    f"SELECT LEN(CONCAT({', '.join(['REPLICATE(CHAR(97), 8000000)'] * 300)}))": 8657,
    "SELECT LEN(STUFF(REPLICATE('a', 8000000), 1, 0, REPLICATE('b', 8000000)))": 8657,
    "SELECT LEN(UPPER(REPLICATE(N'ΐ', 8000000)))": 8657,
    f"{LONG}SELECT LEN(@a + @a)": 8657,
    f"{LONG}DECLARE @b varbinary(max) = CAST(@a AS varbinary(max)); SELECT DATALENGTH(@b + @b)": 8657,
    f"{LONG}WHILE 1 = 1 SET @a += @a": 8657,
    f"{LONG}EXEC ({', '.join(['@a'] * 200)})": 8657,
    f"{LONG}RAISERROR('', 16, 1, {', '.join(['@a'] * 200)})": 2747,
    f"RAISERROR('{'%9999d' * 50_000}', 16, 1)": 50000,
    f"RAISERROR('%x', 16, 1, '{'1' * 5_000}')": 50000,
    "".join(f"DECLARE @v{n} nvarchar(max) = REPLICATE(N'a', 8000000); " for n in range(500)): 8657,
    f"{TABLE}WHILE 1 = 1 INSERT INTO @t VALUES (REPLICATE('a', 8000000))": 8657,
    f"{TABLE}INSERT INTO @t VALUES ('a'); WHILE 1 = 1 INSERT INTO @t SELECT a FROM @t": 8657,
    f"SELECT COUNT(*) FROM (SELECT DISTINCT {FIVE} + a.name AS x, b.name AS y FROM {ROWS} a, {ROWS} b) t": 8657,
    f"SELECT LEN(STRING_AGG(CAST(REPLICATE('a', 7000000) AS nvarchar(max)), '')) FROM {ROWS} a, {ROWS} b": 8657,
    f"SELECT {', '.join(['1'] * 1_900)} FROM {ROWS} a, {ROWS} b, {ROWS} c": 8657,
    f"SELECT {NESTED}.value('(//a//a//a//a)[397]', 'nvarchar(1)')": "",
    f"SELECT {NESTED}.value('(//a//a//a//a)[398]', 'nvarchar(1)')": "NULL",
    "SELECT CAST(REPLICATE('<a>', 1000000) AS xml)": 6335,
}
"""Scripts that would take gigabytes, with the number of their refusal, or the only value that they answer."""


def memory() -> None:
    """What a value, a variable, a table and a statement may take."""
    for script, expected in MEMORY.items():
        begin(script[:150])
        session = ConsoleSession(Consoles().target(), DATABASE)
        said = list(session.run(script))
        failures = [each.number for each in said if isinstance(each, Failed)]
        values = [each.rows[0][0] for each in said if isinstance(each, ResultSet)]
        found = failures or ["NULL" if value is None else value for value in values]
        if found != [expected]:
            raise AssertionError(f"{found}, not {expected}")
        session.close()


if __name__ == "__main__":
    GROUPS = (functions, conversions, statements, documents, scripts, memory)
    {each.__name__: each for each in GROUPS}[sys.argv[1]]()
