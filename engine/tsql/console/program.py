"""A batch as it will run: statements with their lines, and expressions as texts that are compiled when they are met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from engine.tsql.console.types import SqlType
from engine.tsql.statements import AnyStatement


class Expression(msgspec.Struct, frozen=True):
    """A piece of the script: an expression, a condition or a SELECT. `line` is where it begins."""

    text: str
    line: int
    _forms: dict[str, Expression] = msgspec.field(default_factory=dict)

    def as_select(self) -> Expression:
        """The expression as a SELECT of its own."""
        return self._form("SELECT\t", "")

    def as_condition(self) -> Expression:
        """The condition as a SELECT that has a row where it is true."""
        return self._form("SELECT 1 WHERE\t", "")

    def _form(self, before: str, after: str) -> Expression:
        if before not in self._forms:
            self._forms[before] = Expression(f"{before}{self.text}{after}", self.line)
        return self._forms[before]


class _Statement(msgspec.Struct, frozen=True, kw_only=True):
    """Common base: the line on which a statement begins."""

    line: int


class Declare(_Statement, frozen=True):
    """DECLARE @a int = 1, …"""

    variables: tuple[tuple[str, SqlType, Expression | None], ...]


class TableColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a table variable."""

    name: str
    type: SqlType
    is_required: bool = False
    """NOT NULL, said or because it is counted or in a primary key."""
    is_key: bool = False
    """Whether it is in a PRIMARY KEY or UNIQUE."""
    default: Expression | None = None
    identity: tuple[int, int] | None = None
    """The first number and the step."""
    collation: str | None = None
    """What COLLATE says."""


class DeclareTable(_Statement, frozen=True):
    """DECLARE @t TABLE (…)."""

    name: str
    columns: tuple[TableColumn, ...]
    keys: tuple[tuple[str, ...], ...]
    """Columns of each PRIMARY KEY and UNIQUE."""


class SetVariable(_Statement, frozen=True):
    """SET @a = …; `value` has what += and its kin stand for already."""

    name: str
    value: Expression


class SetOption(_Statement, frozen=True):
    """SET NOCOUNT ON and its kin; one statement may set several options."""

    options: tuple[str, ...]
    is_on: bool


class Fold(msgspec.Struct, frozen=True):
    """SELECT @x += …: `value` is what @x comes to with a row, whose column has the value of the variable `operand`."""

    operand: str
    value: Expression


class Select(_Statement, frozen=True):
    """SELECT, with or without assignments, or INSERT, UPDATE, DELETE on a table variable."""

    text: Expression
    folds: dict[int, Fold] = {}
    """Columns that are assigned with an operator."""


class Print(_Statement, frozen=True):
    """PRINT."""

    value: Expression


class Block(_Statement, frozen=True):
    """BEGIN … END."""

    statements: tuple[Step, ...]


class If(_Statement, frozen=True):
    """IF … ELSE."""

    condition: Expression
    then: Step
    otherwise: Step | None


class While(_Statement, frozen=True):
    """WHILE."""

    condition: Expression
    body: Step


class Leave(_Statement, frozen=True):
    """BREAK, CONTINUE or RETURN."""

    word: str


class Try(_Statement, frozen=True):
    """BEGIN TRY … END TRY BEGIN CATCH … END CATCH."""

    body: tuple[Step, ...]
    handler: tuple[Step, ...]


class Transaction(_Statement, frozen=True):
    """BEGIN, COMMIT or ROLLBACK TRANSACTION."""

    word: str


class Throw(_Statement, frozen=True):
    """THROW; without arguments what was caught goes on."""

    arguments: tuple[Expression, ...] = ()


class RaiseError(_Statement, frozen=True):
    """RAISERROR (…)."""

    arguments: tuple[Expression, ...]


class WaitFor(_Statement, frozen=True):
    """WAITFOR DELAY or TIME."""

    is_delay: bool
    value: Expression


class Use(_Statement, frozen=True):
    """USE."""

    database: str


class Execute(_Statement, frozen=True):
    """EXECUTE of a procedure or of a text."""

    procedure: str
    """Empty for EXECUTE (…)."""
    arguments: tuple[Expression, ...]
    names: tuple[str, ...] = ()
    """Names of the arguments, empty where they have none."""


class BeginDialog(_Statement, frozen=True):
    """BEGIN DIALOG."""

    variable: str
    from_service: Expression
    to_service: Expression
    to_broker: Expression | None
    contract: Expression | None
    related: Expression | None
    related_group: Expression | None
    lifetime: Expression | None
    is_encrypted: bool


class Send(_Statement, frozen=True):
    """SEND ON CONVERSATION, to one or several."""

    handles: tuple[Expression, ...]
    message_type: Expression | None
    body: Expression | None


class Receive(_Statement, frozen=True):
    """RECEIVE, perhaps in a WAITFOR."""

    queue: tuple[str, ...]
    columns: Expression
    """What is selected of the messages, as a SELECT over them that lacks its FROM."""
    top: Expression | None
    into: str | None
    where: tuple[str, Expression] | None
    waits: bool
    timeout: Expression | None


class GetGroup(_Statement, frozen=True):
    """GET CONVERSATION GROUP, perhaps in a WAITFOR."""

    variable: str
    queue: tuple[str, ...]
    waits: bool
    timeout: Expression | None


class Move(_Statement, frozen=True):
    """MOVE CONVERSATION."""

    handle: Expression
    group: Expression


class End(_Statement, frozen=True):
    """END CONVERSATION in all its forms."""

    handle: Expression
    error: Expression | None = None
    description: Expression | None = None
    with_cleanup: bool = False


class Timer(_Statement, frozen=True):
    """BEGIN CONVERSATION TIMER."""

    handle: Expression
    timeout: Expression


class Define(_Statement, frozen=True):
    """DDL, one statement of which may be several."""

    statements: tuple[AnyStatement, ...]


class FailOver(_Statement, frozen=True):
    """ALTER DATABASE … SET PARTNER FAILOVER, or FORCE_SERVICE_ALLOW_DATA_LOSS."""

    database: str
    is_forced: bool


class Backup(_Statement, frozen=True):
    """BACKUP DATABASE … TO DISK."""

    database: str
    file: Expression


class Restore(_Statement, frozen=True):
    """RESTORE DATABASE … FROM DISK, or CREATE DATABASE … FOR ATTACH."""

    database: str
    file: Expression | None
    option: str | None
    replaces: bool
    is_recovered: bool
    is_attached: bool


class Unsupported(_Statement, frozen=True):
    """What is T-SQL and not done here."""

    words: str
    number: int


Step = (
    Declare
    | DeclareTable
    | SetVariable
    | SetOption
    | Select
    | Print
    | Block
    | If
    | While
    | Leave
    | Try
    | Transaction
    | Throw
    | RaiseError
    | WaitFor
    | Use
    | Execute
    | BeginDialog
    | Send
    | Receive
    | GetGroup
    | Move
    | End
    | Timer
    | Define
    | FailOver
    | Backup
    | Restore
    | Unsupported
)


def every(steps: Iterable[Step | None]) -> Iterator[Step]:
    """All statements of a program, those in blocks, branches, loops and handlers too, in the order of the script."""
    for step in steps:
        if step is None:
            continue
        yield step
        match step:
            case Block(statements=statements):
                yield from every(statements)
            case If(then=then, otherwise=otherwise):
                yield from every((then, otherwise))
            case While(body=body):
                yield from every((body,))
            case Try(body=body, handler=handler):
                yield from every((*body, *handler))
            case _:
                pass


def refused_in(steps: Iterable[Step]) -> Iterator[Unsupported]:
    """The statements of a program that are not carried out here."""
    return (step for step in every(steps) if isinstance(step, Unsupported))
