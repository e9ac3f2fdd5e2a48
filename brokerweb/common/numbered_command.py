"""What all commands have in common when they refuse: a number, what happened, what to do; nothing is changed then."""

from __future__ import annotations

from typing import Any, ClassVar, Final, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseFailed

from brokerweb.common.database import ReservedConnections
from brokerweb.common.errors import EngineRefused, ObjectNotFound, UserExists, WebProblem
from engine.api import BrokerError, LocalProtocolError, errors, keys

UNUSABLE, NO_SUCH_OBJECT, NAME_TAKEN, DATABASE_UNREADABLE, CANNOT_OPEN = 153, 15151, 15025, 4060, 5120
REFUSED = 2
"""Exit code of a command that has done nothing, because it could not; argparse's own for wrong arguments."""

_NUMBERS: Final[dict[type[WebProblem], int]] = {ObjectNotFound: NO_SUCH_OBJECT, UserExists: NAME_TAKEN}


def numbered(number: int, text: str) -> str:
    """A refusal as commands print it; the words are the caller's, the number is the vendor's for such a case."""
    return f"{number}: {text}"


def told_problem(problem: WebProblem) -> str:
    """A problem of the web with a number: no such object, a name that is taken, or else what cannot be used."""
    number = _NUMBERS.get(type(problem), UNUSABLE)
    return numbered(number, errors.shortened(" ".join(part for part in (problem.detail, problem.cure) if part)))


class NumberedCommand(BaseCommand):
    """A command whose every refusal has a number: of its arguments, of what they name, and of the database."""

    database_cure: ClassVar[str] = (
        "DATABASE_URL or BROKERWEB_DATA must be those of the dashboard; after an update run `manage.py migrate` first."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        # Django makes the parser itself and offers no other way to give it a class of one's own.
        parser.__class__ = _NumberedParser
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        # Outside of the pool, a server that cannot be reached says why at once.
        reserved = ReservedConnections()
        try:
            with reserved.used():
                return super().execute(*args, **options)
        except WebProblem as problem:
            raise CommandError(told_problem(problem), returncode=REFUSED) from problem
        except EngineRefused as refused:
            error = refused.error
            told = f"{error.text}. {error.cure}".rstrip()
            raise CommandError(numbered(error.number, told), returncode=REFUSED) from refused
        except BrokerError as error:
            raise CommandError(f"{error}. {error.cure}".rstrip(), returncode=REFUSED) from error
        except keys.ServiceKeyUnusable as error:
            raise CommandError(numbered(CANNOT_OPEN, str(error)), returncode=REFUSED) from error
        except DatabaseFailed as error:
            told = LocalProtocolError(DATABASE_UNREADABLE, detail=str(error).strip())
            raise CommandError(f"{told}. {self.database_cure}", returncode=REFUSED) from error
        finally:
            reserved.close()


class _NumberedParser(CommandParser):
    def error(self, message: str) -> NoReturn:
        super().error(numbered(UNUSABLE, message))
