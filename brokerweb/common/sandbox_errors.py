"""Problems of private estates: the sandboxes of people, under the addresses of estates."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from brokerweb.common.errors import WebProblem


class SandboxHasNone(WebProblem):
    """A sandbox has nothing of this kind, or it is not done in one."""

    code = "sandbox-has-none"
    usual_why = gettext_lazy(
        "A sandbox is one person's simulation. It keeps no drafts, no revisions and no decisions, and nothing is "
        "entered in it by forms."
    )
    usual_cure = gettext_lazy("Change definitions by T-SQL: in the exercise, or in the console of the sandbox.")
