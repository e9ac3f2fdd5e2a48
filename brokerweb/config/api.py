"""The API as a whole: version 1, assembled from the apps."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, URLResolver
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from brokerweb.accounts.api.session import router as session_router
from brokerweb.accounts.api.tokens import router as tokens_router
from brokerweb.accounts.api.users import router as users_router
from brokerweb.common.api.bodies import StrictParser
from brokerweb.common.api.errors import add_problem_handlers
from brokerweb.common.api.names import with_named_routes
from brokerweb.common.api.parameters import refuse_change_set
from brokerweb.common.api.problem_responses import document_problems
from brokerweb.common.api.rendering import Utf8Renderer
from brokerweb.config.operation_rights import ACTS_IN_SANDBOXES, LOOKS_AT_SANDBOXES
from brokerweb.jobs.api import router as jobs_router
from brokerweb.live.api import router as live_router
from brokerweb.operations.api.databases import router as databases_router
from brokerweb.operations.api.hosting import router as hosting_router
from brokerweb.operations.api.live import router as acting_router
from brokerweb.operations.api.routes import router as operations_router
from brokerweb.operations.api.sessions import router as sessions_router
from brokerweb.pipeline.api.lake import router as lake_router
from brokerweb.pipeline.api.runs import router as runs_router
from brokerweb.pipeline.api.tables import router as result_tables_router
from brokerweb.topology.api.change_sets import router as change_sets_router
from brokerweb.topology.api.draft_findings import router as draft_findings_router
from brokerweb.topology.api.draft_flows import router as draft_flows_router
from brokerweb.topology.api.findings import router as findings_router
from brokerweb.topology.api.fixes import router as fixes_router
from brokerweb.topology.api.history import router as history_router
from brokerweb.topology.api.imports import router as imports_router
from brokerweb.topology.api.objects import router as objects_router
from brokerweb.topology.api.permissions import router as permissions_router
from brokerweb.topology.api.positions import router as positions_router
from brokerweb.topology.api.private import guard_private
from brokerweb.topology.api.scripts import router as scripts_router
from brokerweb.topology.api.topology import router as topology_router
from brokerweb.traffic.api import router as traffic_router
from brokerweb.training.api.groups import router as training_groups_router
from brokerweb.training.api.lessons import router as training_lessons_router
from brokerweb.training.api.sessions import router as training_router
from brokerweb.whatif.api.answers import router as what_if_router
from brokerweb.whatif.api.assertions import router as assertions_router
from brokerweb.whatif.api.assertions_at_once import router as assertions_at_once_router
from brokerweb.whatif.api.failures import router as failures_router
from brokerweb.whatif.api.forecasts import router as forecasts_router
from brokerweb.whatif.api.tables import router as tables_router
from brokerweb.whatif.api.triptych import router as triptych_router


class CachedDocumentAPI(NinjaAPI):
    """Makes its OpenAPI document once a prefix: it takes seconds of processor time, and operations do not change."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._documents: dict[str | None, OpenAPISchema] = {}

    def get_openapi_schema(self, *, path_prefix: str | None = None, **parameters: Any) -> OpenAPISchema:
        """Answer the document for a prefix; None stands for that of the URL configuration."""
        if path_prefix not in self._documents:
            self._documents[path_prefix] = super().get_openapi_schema(path_prefix=path_prefix, **parameters)
        return self._documents[path_prefix]

    @property
    def urls(self) -> tuple[list[URLPattern | URLResolver], str, str]:
        """The operations as Django takes them."""
        patterns, application, namespace = super().urls
        return with_named_routes(patterns), application, namespace


api = CachedDocumentAPI(
    title="brokerweb",
    version="1",
    description="Wanted topology, console and imports of brokerweb. Errors are problem documents (RFC 9457).",
    docs_url=None,
    urls_namespace="api",
    parser=StrictParser(),
    renderer=Utf8Renderer(),
)
add_problem_handlers(api)
api.add_decorator(refuse_change_set)
api.add_decorator(guard_private(looks=LOOKS_AT_SANDBOXES, acts=ACTS_IN_SANDBOXES))
ROUTERS = (
    session_router,
    tokens_router,
    users_router,
    topology_router,
    permissions_router,
    objects_router,
    imports_router,
    jobs_router,
    change_sets_router,
    history_router,
    scripts_router,
    findings_router,
    positions_router,
    fixes_router,
    draft_findings_router,
    draft_flows_router,
    operations_router,
    sessions_router,
    databases_router,
    hosting_router,
    acting_router,
    traffic_router,
    what_if_router,
    triptych_router,
    failures_router,
    forecasts_router,
    tables_router,
    assertions_router,
    assertions_at_once_router,
    live_router,
    lake_router,
    runs_router,
    result_tables_router,
    training_router,
    training_groups_router,
    training_lessons_router,
)
for _router in ROUTERS:
    document_problems(_router)
    api.add_router("", _router)
