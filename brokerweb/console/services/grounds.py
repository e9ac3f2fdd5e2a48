"""Which ground an address names."""

from __future__ import annotations

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.console import protocol
from brokerweb.console.services.estates import estate_ground
from brokerweb.console.services.ground import Ground
from brokerweb.console.services.sandboxes import sandbox_ground
from engine import api as engine


def right_needed(estate: str) -> Right:
    """Without which nobody has a session there. Who has a sandbox trains; what is typed there touches nobody else."""
    return Right.VIEW if engine.sandboxes.is_sandbox(estate) else Right.OPERATE


def ground_at(hello: protocol.Hello, user: User) -> Ground:
    """The ground for a session of this person.

    Raises `ObjectNotFound`; of a sandbox `TrainingOver` and `ScenarioChanged` too.
    """
    made = sandbox_ground if engine.sandboxes.is_sandbox(hello.estate) else estate_ground
    return made(hello.estate, hello.instance, hello.database, user)
