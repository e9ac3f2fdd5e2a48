"""The HTTP status of every problem: of the web's own by its kind, of the engine's by its number."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from brokerweb.common.errors import (
    AssertionChanged,
    AssertionNameTaken,
    AssertionsUnreadable,
    BadSandboxAction,
    CannotUndo,
    ChangeSetClosed,
    ChangeUnderWay,
    ConflictGone,
    ConflictsOpen,
    ContentTooLarge,
    FailoverUncertain,
    FailoverUndone,
    FindingGone,
    GroupNameTaken,
    LastAdministrator,
    LossesUnticked,
    LossGone,
    MalformedRequest,
    NoMoreHints,
    NothingClaimed,
    NothingToApply,
    NothingToFix,
    NothingToRevert,
    NotInChangeSet,
    NotInThisMode,
    ObjectNotFound,
    RevisionConflict,
    RevisionRequired,
    RightMissing,
    ScenarioChanged,
    TooManyAssertions,
    TooManyAttempts,
    TooManyTokens,
    TrafficRuns,
    TrainingOver,
    TrainingRuns,
    Unauthenticated,
    UnknownParameter,
    UnsupportedMedia,
    UserExists,
    WebProblem,
)
from brokerweb.common.job_errors import TooManyJobs
from brokerweb.common.pipeline_errors import (
    ResultTooCostly,
    ResultUnreadable,
    ResultUnwritable,
    RunHasNoTables,
    RunUnderWay,
    UploadUnwritable,
)
from brokerweb.common.sandbox_errors import SandboxHasNone
from brokerweb.common.server_errors import ServerBusy, StorageFull
from brokerweb.common.training_errors import ReplayRemoved, TooManyRuns

PROBLEM_STATUSES: Final = (400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428, 429, 500, 503, 507)
"""Any of these statuses carries a `Problem`, at every operation."""

WEB_STATUS: dict[type[WebProblem], HTTPStatus] = {
    MalformedRequest: HTTPStatus.BAD_REQUEST,
    UnknownParameter: HTTPStatus.BAD_REQUEST,
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    RightMissing: HTTPStatus.FORBIDDEN,
    ObjectNotFound: HTTPStatus.NOT_FOUND,
    RevisionConflict: HTTPStatus.PRECONDITION_FAILED,
    **dict.fromkeys(
        (
            AssertionChanged,
            AssertionNameTaken,
            CannotUndo,
            ChangeSetClosed,
            ChangeUnderWay,
            ConflictGone,
            ConflictsOpen,
            LastAdministrator,
            LossGone,
            LossesUnticked,
            FindingGone,
            GroupNameTaken,
            NoMoreHints,
            NotInChangeSet,
            NotInThisMode,
            NothingToApply,
            NothingToFix,
            NothingToRevert,
            RunHasNoTables,
            RunUnderWay,
            TooManyAssertions,
            SandboxHasNone,
            ScenarioChanged,
            ReplayRemoved,
            TooManyRuns,
            TooManyJobs,
            TooManyTokens,
            TrafficRuns,
            TrainingOver,
            TrainingRuns,
            UserExists,
        ),
        HTTPStatus.CONFLICT,
    ),
    RevisionRequired: HTTPStatus.PRECONDITION_REQUIRED,
    ContentTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    AssertionsUnreadable: HTTPStatus.UNPROCESSABLE_ENTITY,
    BadSandboxAction: HTTPStatus.UNPROCESSABLE_ENTITY,
    NothingClaimed: HTTPStatus.UNPROCESSABLE_ENTITY,
    ResultTooCostly: HTTPStatus.UNPROCESSABLE_ENTITY,
    ResultUnreadable: HTTPStatus.UNPROCESSABLE_ENTITY,
    UnsupportedMedia: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    TooManyAttempts: HTTPStatus.TOO_MANY_REQUESTS,
    ResultUnwritable: HTTPStatus.SERVICE_UNAVAILABLE,
    UploadUnwritable: HTTPStatus.SERVICE_UNAVAILABLE,
    FailoverUncertain: HTTPStatus.SERVICE_UNAVAILABLE,
    ServerBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    StorageFull: HTTPStatus.INSUFFICIENT_STORAGE,
    FailoverUndone: HTTPStatus.SERVICE_UNAVAILABLE,
}

ENGINE_STATUS: dict[int, HTTPStatus] = {
    102: HTTPStatus.BAD_REQUEST,
    208: HTTPStatus.NOT_FOUND,
    911: HTTPStatus.NOT_FOUND,
    15151: HTTPStatus.NOT_FOUND,
    8426: HTTPStatus.NOT_FOUND,
    1801: HTTPStatus.CONFLICT,
    2714: HTTPStatus.CONFLICT,
    9002: HTTPStatus.CONFLICT,
    10928: HTTPStatus.CONFLICT,
    7862: HTTPStatus.CONFLICT,
}
"""Status of an engine error by its number; every other number is 422: understood, but refused."""
