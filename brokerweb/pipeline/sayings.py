"""Titles of jobs, and what the log of decisions says of runs."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_noop as _

from brokerweb.common.sayings import register_sayings

TEMPLATES: Final = {
    "pipeline-run": _("Analysis {job} of {estate}"),
    "delete-pipeline-run": _("Delete the results of analysis {job}"),
    "lake-export": _("Export of the events of {estate}"),
    "lake-import": _("Import of a trace of {instance} into the lake of {estate}"),
    "lake-take-out": _("Taking a trace of {instance} out of the lake of {estate}"),
}
register_sayings(TEMPLATES)
