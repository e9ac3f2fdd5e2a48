"""Planning an import: scripts against catalogs, statement by statement, without touching either.

Every statement is tried on a copy of the catalogs. What the copies have become is the plan; how to get there is the
net difference, so a script that drops an object and makes it anew as it was changes nothing. One problem anywhere,
and the plan changes nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from engine.core.catalog.address import parse_broker_instance
from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    DatabaseCreated,
    DatabaseStateSet,
    EndpointAltered,
    EndpointCreated,
    HostNamesSet,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.difference import diff
from engine.core.catalog.identity import databases_with
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database, spelling_in
from engine.core.catalog.revision import apply_change, copy, new_instance
from engine.core.catalog.security_changes import PermissionSet
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import BrokerError, CatalogError, text_of
from engine.core.vocabulary.identifiers import MASTER, DatabaseName, InstanceName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.beginnings import DatabasesBegunIn
from engine.tsql.endpoint_proof import provable, validity_warning
from engine.tsql.places import clause_place, is_inside_database, place_of, reading_order
from engine.tsql.plan import Effect, ImportPlan, PlanRow
from engine.tsql.plan_rows import Scene, ignored_row, row_of
from engine.tsql.problems import problem_of
from engine.tsql.schedule import FilesAwaited, Part, follow_all, parts_of
from engine.tsql.security_statements import BackupCertificate
from engine.tsql.server_differences import ServerDifferences
from engine.tsql.server_files import ImportFiles
from engine.tsql.statements import (
    Clause,
    Connect,
    CreateDatabase,
    Guard,
    Ignored,
    Notice,
    Problem,
    Script,
    Statement,
    Use,
)
from engine.tsql.subject import is_defined_alike, subject_of
from engine.tsql.translate import DefiningStatement, Translator
from engine.tsql.translate_states import ended_by
from engine.tsql.unmodelled import Unmodelled
from engine.tsql.workshop import Workshop, workshop_of

_EXISTS_ALREADY = frozenset({1801, 2714, 7862, 15023, 15025, 15232, 15578})
_IS_NOT_THERE = frozenset({911, 15151})
Beginnings = Mapping[str, tuple[InstanceName | None, DatabaseName | None]]
STATEMENTS_BETWEEN_TICKS: Final = 500
_WRITTEN: Final = "Written to a file that all instances of the estate can read."
_WITHOUT_EFFECT = frozenset({15151, 4617, 4624})
"""Permissions on what is not modelled, or of those who need none: scripts of real servers have many."""


def plan_import(
    scripts: Iterable[Script],
    catalogs: Mapping[InstanceName, InstanceCatalog],
    *,
    default_instance: InstanceName,
    default_database: DatabaseName = MASTER,
    now: UtcTime,
    entropy: Entropy,
    smith: KeySmith | None = None,
    beginnings: Beginnings = MappingProxyType({}),
    tick: Callable[[str, int], None] | None = None,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> ImportPlan:
    """What `scripts`, in this order, would do to `catalogs`. Statements are let go as they are followed, as far as
    nobody else has them: of a long script the catalogs grow in the place of its statements.

    Each script begins on `default_instance` in `default_database`, or where `beginnings` says for its name; :CONNECT
    goes to another instance, which is made when it does not exist, and to its `master`. LIFETIME counts from `now`;
    new identities come from `entropy`, new keys from `smith`. `tick` is called now and then with script and line.
    `files` are the certificate files of the estate, by `file_key`; what reads a file of a later script waits for it.
    """
    left = list(scripts)[::-1]
    begun = DatabasesBegunIn(left, [default_database, *(name for _, name in beginnings.values())])
    planner = _Planner(catalogs, now, entropy, smith, tick, ImportFiles(files), FilesAwaited(left), begun)

    def parts() -> Iterator[Part]:
        while left:
            planner.note(left[-1])
            instance, database = beginnings.get(left[-1].name) or (None, None)
            yield from parts_of(left.pop(), instance or default_instance, database or default_database)

    follow_all(parts(), planner.follow, planner.awaited)
    return planner.plan()


class _Refused(Exception):
    """A statement cannot be carried out; the problem is noted already."""


class _Planner:
    """One plan under way: working copies of the catalogs, and where in them the scripts have got to."""

    def __init__(
        self,
        catalogs: Mapping[InstanceName, InstanceCatalog],
        now: UtcTime,
        entropy: Entropy,
        smith: KeySmith | None,
        tick: Callable[[str, int], None] | None,
        files: ImportFiles,
        awaited: FilesAwaited,
        begun: DatabasesBegunIn,
    ) -> None:
        self._smith = smith
        self._files: Final = files
        self.awaited: Final = awaited
        self._begun: Final = begun
        self._tick = tick
        self._before = catalogs
        self._work = {name: copy(catalog) for name, catalog in catalogs.items()}
        self._settled: dict[InstanceName, tuple[CatalogChange, ...]] = {}
        """Changes up to and including the last deed; a deed leaves no trace in a catalog that could be compared."""
        self._since: dict[InstanceName, InstanceCatalog] = {}
        """The catalog right after that deed."""
        self._now = now
        self._entropy = entropy
        self._rows: list[PlanRow] = []
        self._problems: list[Problem] = []
        self._warnings: list[Notice] = []
        self._differences = ServerDifferences()
        self._unmodelled = Unmodelled()
        self._file = ""
        self._numbers: dict[str, int] = {}
        """Of the scripts, as they were given."""
        self._instance = InstanceName("")
        self._database: DatabaseName | None = None
        """None after USE of a database that does not exist: nothing can be said about what follows."""
        self._is_nowhere = False

    def note(self, script: Script) -> None:
        """What was wrong with a script when it was read."""
        self._numbers.setdefault(script.name, len(self._numbers))
        self._problems += script.problems
        self._warnings += script.notices

    def follow(self, part: Part) -> bool:
        """Carry out a part on the working copies; False where it waits for a file, to go on from there."""
        self._file, self._database = part.file, part.database
        self._instance, self._is_nowhere = self._spelled(part.instance), part.is_nowhere
        number = 0
        while part.items:
            if self.awaited.holds_back(part.items[-1], self._files):
                part.instance, part.database, part.is_nowhere = self._instance, self._database, self._is_nowhere
                return False
            item = part.items.pop()
            if self._tick is not None and number % STATEMENTS_BETWEEN_TICKS == 0:
                self._tick(self._file, place_of(item)[0])
            number += 1
            match item:
                case Ignored():
                    self._rows.append(ignored_row(item, Scene(self._file, self._instance, self._database)))
                case Connect():
                    self._connect(item)
                case Use():
                    self._use(item)
                case _:
                    self._define(item)
        return True

    def plan(self) -> ImportPlan:
        """What all of it comes to; the working copies go with it."""
        is_refused, numbers = bool(self._problems), self._numbers
        self._rows.sort(key=lambda row: (numbers[row.file], row.line))
        self._problems.sort(key=lambda problem: (numbers[problem.file], *reading_order(problem)))
        warnings = [*self._warnings, *self._differences.notices(self._work)]
        warnings.sort(key=lambda warning: (numbers[warning.file], warning.line))
        changes: dict[InstanceName, tuple[CatalogChange, ...]] = {}
        for name, catalog in () if is_refused else self._work.items():
            if found := (*self._settled.get(name, ()), *diff(self._base(name), catalog)):
                changes[name] = found
        created = () if is_refused else tuple(name for name in self._work if name not in self._before)
        return ImportPlan(
            rows=tuple(self._rows),
            problems=tuple(self._problems),
            warnings=tuple(warnings),
            created=created,
            changes=changes,
            catalogs={name: copy(catalog) for name, catalog in self._before.items()} if is_refused else self._work,
            files={} if is_refused else dict(self._files.written.values()),
        )

    def _base(self, name: InstanceName) -> InstanceCatalog:
        """What the net difference of an instance is counted from."""
        return self._since.get(name) or self._before.get(name) or InstanceCatalog(name=name)

    def _settle(self, before: InstanceCatalog, deed: CatalogChange) -> None:
        """A deed stands at its place among the changes: what came before it comes before it still."""
        name = self._instance
        self._settled[name] = (*self._settled.get(name, ()), *diff(self._base(name), before), deed)
        self._since[name] = copy(self._work[name])

    # --- where the script is

    def _spelled(self, instance: str) -> InstanceName:
        return spelling_in(self._work, instance) or InstanceName(instance)

    def _catalog(self) -> InstanceCatalog:
        """The instance the script is on; it is made when it is first needed."""
        if self._instance not in self._work:
            self._work[self._instance] = new_instance(self._instance, self._entropy)
        return self._work[self._instance]

    def _connect(self, statement: Connect) -> None:
        self._instance, self._is_nowhere = self._spelled(statement.instance), False
        self._database = MASTER
        is_new = self._instance not in self._work
        try:
            catalog = self._catalog()
            known = statement.only_host_names
            names = (*(catalog.host_names if known is None else known), *statement.host_names)
            apply_change(catalog, HostNamesSet(host_names=names))
        except CatalogError as error:
            self._is_nowhere = self._instance not in self._work
            self._refuse(statement, error)
            return
        if is_new:
            self._row(statement, Effect.ADD, "The instance is made, with master and msdb.")

    def _is_somewhere(self, statement: DefiningStatement | Use) -> bool:
        """Whether the script is on an instance that there can be; says so at the first statement, if not."""
        if self._is_nowhere:
            self._row(statement, Effect.ERROR, "Not looked at: no instance can be called what :CONNECT says.")
            return False
        try:
            self._catalog()
        except CatalogError as error:
            self._is_nowhere = True
            self._refuse(statement, error)
            return False
        return True

    def _use(self, statement: Use) -> None:
        if not self._is_somewhere(statement):
            return
        try:
            database = find_database(self._catalog(), statement.database)
        except CatalogError as error:
            self._database = None
            self._refuse(statement, error)
            return
        self._database = database.name
        if statement.broker_instance is not None:
            self._identify(statement, database, statement.broker_instance)

    def _identify(self, statement: Use, database: DatabaseCatalog, hint: Clause) -> None:
        """The id of a database that was not made by a statement; its broker stays as it is."""
        try:
            broker_instance = parse_broker_instance(hint.value)
            if broker_instance == database.broker_instance:
                return
            is_enabled = database.is_broker_enabled
            for change in (
                BrokerRenewed(database=database.name, broker_instance=broker_instance),
                BrokerSwitched(database=database.name, is_enabled=is_enabled),
            ):
                apply_change(self._catalog(), change)
        except CatalogError as error:
            self._refuse(statement, error)
            return
        self._row(statement, Effect.CHANGE, "Its broker id is the one of the comment.")

    # --- what the script does there

    def _define(self, statement: DefiningStatement) -> None:
        if not self._is_somewhere(statement):
            return
        if self._database is None and is_inside_database(statement):
            self._row(statement, Effect.ERROR, "Not looked at: the database that USE names does not exist.")
            return
        if (why := self._unmodelled.reason(self._instance, statement)) is not None:
            self._row(statement, Effect.IGNORED, why)
            return
        if (made := self._begun.missing(self._catalog(), self._database, self._entropy)) is not None:
            apply_change(self._catalog(), made)
            self._warn(statement, f"Database '{made.database}' is made, because the script begins there.")
        translator = Translator(self._database or MASTER, self._now, self._entropy, self._workshop())
        try:
            changes = translator.changes_of(statement)
        except CatalogError as error:
            self._refuse(statement, error)
            return
        self._warnings += (Notice(self._file, statement.place.line, text) for text in translator.warnings)
        try:
            effects = [self._try(statement, change) for change in self._counting(statement, changes)]
        except _Refused:
            return
        same = (Effect.SAME, _WRITTEN if isinstance(statement, BackupCertificate) else "Is so already.")
        self._row(statement, *max(effects, key=lambda effect: effect[0] is not Effect.SAME, default=same))

    def _counting(self, statement: DefiningStatement, changes: Sequence[CatalogChange]) -> Iterator[CatalogChange]:
        """The changes that mean something where the catalogs are now."""
        ended = ended_by(statement)
        for change in changes:
            if isinstance(change, DatabaseStateSet) and ended is not None:
                key = spelling_in(self._catalog().databases, change.database)
                if key is not None and self._catalog().databases[key].state is not ended:
                    continue
            if isinstance(change, EndpointCreated | EndpointAltered):
                possible, warning = provable(self._catalog(), change)
                if warning is not None:
                    self._warn(statement, warning)
                yield possible
            else:
                yield change

    def _workshop(self) -> Workshop:
        """Where keys for the current database are made."""
        return workshop_of(self._catalog(), self._database, self._smith, self._files)

    def _try(self, statement: DefiningStatement, change: CatalogChange) -> tuple[Effect, str]:
        """Apply one change to the working copy and say what it did."""
        catalog = self._catalog()
        before = subject_of(catalog, change)
        is_deed = isinstance(change, BrokerConversationsErrored)
        before_deed = copy(catalog) if is_deed else catalog
        try:
            apply_change(catalog, change)
        except CatalogError as error:
            if (excuse := self._excuse(statement, change, error)) is None:
                self._refuse(statement, error)
                raise _Refused from error
            if isinstance(change, PermissionSet):
                self._warn(statement, excuse)
                return Effect.IGNORED, excuse
            return Effect.SAME, excuse
        if isinstance(change, DatabaseCreated):
            self._warn_of_twin(statement, change)
        if isinstance(change, EndpointCreated | EndpointAltered):
            self._warn_of_certificate(statement)
        if is_deed:
            self._settle(before_deed, change)
            return Effect.CHANGE, "Every conversation of the database ends with an error, and so do their peers."
        self._differences.follow(self._instance, change, self._file, statement.place.line)
        after = subject_of(catalog, change)
        if before == after:
            return Effect.SAME, "Is so already."
        return (Effect.ADD if before is None else Effect.REMOVE if after is None else Effect.CHANGE), ""

    def _excuse(self, statement: DefiningStatement, change: CatalogChange, error: CatalogError) -> str | None:
        """Why a refused change is no problem: the object is as it should be, or a condition holds it back."""
        if error.number in _EXISTS_ALREADY:
            is_any_id_welcome = isinstance(statement, CreateDatabase) and statement.broker_instance is None
            if is_any_id_welcome or is_defined_alike(self._catalog(), change):
                return "Exists already, with the same definition."
            if statement.guard is Guard.NOT_EXISTS:
                self._warn(statement, f"{error.text}, with another definition; the condition leaves it as it is.")
                return "Exists already, with another definition; the condition leaves it as it is."
        if isinstance(change, PermissionSet) and error.number in _WITHOUT_EFFECT:
            return f"{error.text}; the permission is left out."
        if error.number in _IS_NOT_THERE and statement.guard is Guard.EXISTS:
            return "Does not exist; the condition holds the statement back."
        return None

    def _warn_of_twin(self, statement: Statement, change: DatabaseCreated) -> None:
        catalog = self._catalog()
        database = find_database(catalog, change.database)
        for twin in databases_with(catalog, database.broker_instance):
            if twin.name != database.name:
                self._warn(statement, f"{text_of(9773, database=database.name, name=twin.name)}.")

    def _warn_of_certificate(self, statement: Statement) -> None:
        if (warning := validity_warning(self._catalog(), self._now)) is not None:
            self._warn(statement, warning)

    def _warn(self, statement: Statement, text: str) -> None:
        self._warnings.append(Notice(self._file, statement.place.line, text))

    def _refuse(self, statement: DefiningStatement | Connect | Use, error: BrokerError) -> None:
        place = clause_place(statement, str(error.parameters.get("clause", ""))) or statement.place
        self._problems.append(problem_of(error, self._file, place))
        self._row(statement, Effect.ERROR, str(error))

    def _row(self, statement: DefiningStatement | Connect | Use, effect: Effect, text: str) -> None:
        is_inside = is_inside_database(statement)
        scene = Scene(self._file, self._instance, self._database if is_inside else None)
        self._rows.append(row_of(statement, scene, self._database, effect, text))
