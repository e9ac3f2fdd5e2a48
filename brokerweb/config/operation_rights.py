"""Which right each operation of the API needs: one table, for people to read.

The operations themselves say it again where they are written (`auth=`), and that is what is enforced. A test compares
the two and tries every operation with every role, so that neither a new operation without a right nor a right that
was lowered by mistake gets through. The websocket is in the table too.
"""

from __future__ import annotations

from enum import StrEnum

from brokerweb.accounts.rights import Right


class Known(StrEnum):
    """Where no right decides."""

    NOBODY = "nobody"
    """Open to everybody."""
    ANYBODY = "anybody"
    """Anybody who is logged in or holds a token, whatever their rights."""
    IN_PERSON = "in person"
    """Anybody who is logged in at the dashboard; no token."""


NEEDED: dict[Right | Known, tuple[str, ...]] = {
    Known.NOBODY: ("login",),
    Known.ANYBODY: ("me_read",),
    Known.IN_PERSON: ("logout", "password_set", "preferences_set", "token_create", "token_revoke", "tokens_list"),
    Right.VIEW: (
        "assertions_coverage",
        "assertions_file_read",
        "assertions_list",
        "assertions_run",
        "assertions_summary",
        "backups_list",
        "change_set_findings",
        "change_set_flows",
        "change_set_read",
        "change_sets_list",
        "conversation_forecast",
        "estates_list",
        "findings_fix_preview",
        "findings_read",
        "hosting_read",
        "instance_view_read",
        "live_read",
        "job_cancel",
        "job_read",
        "job_result",
        "jobs_list",
        "lake_read",
        "messages_peek",
        "object_read",
        "objects_count",
        "objects_list",
        "positions_read",
        "revisions_list",
        "run_download",
        "run_estimate",
        "run_read",
        "run_samples",
        "run_sums",
        "run_table",
        "runs_list",
        "samples_list",
        "script_download",
        "script_read",
        "simulation_csv",
        "system_view_read",
        "topology_read",
        "traffic_offers",
        "traffic_read",
        "training_begin",
        "training_catalogue",
        "training_check",
        "training_clock_jump",
        "training_clock_set",
        "training_clock_step",
        "training_fault_begin",
        "training_fault_end",
        "training_finish",
        "training_give_up",
        "training_hint",
        "training_lesson_read",
        "training_lessons_list",
        "training_read",
        "training_replay",
        "training_replay_moment",
        "training_run",
        "training_sessions_list",
        "transmission_explain",
        "what_if_answer",
        "what_if_compare",
        "what_if_dependencies",
        "what_if_examples",
        "what_if_failures",
        "what_if_future",
        "what_if_matrix",
        "what_if_questions",
        "what_if_table",
        "what_if_table_csv",
        "what_if_triptych",
    ),
    Right.READ_PAYLOADS: ("transmission_body_read",),
    Right.OPERATE: (
        "backup_take",
        "conversation_begin",
        "conversation_end",
        "conversation_group_get",
        "conversation_move",
        "conversation_timer_begin",
        "conversations_end",
        "endpoint_set_state",
        "lake_export",
        "lake_import_trace",
        "lake_take_out_trace",
        "messages_receive",
        "messages_send",
        "queue_set_activation",
        "queue_set_status",
        "run_again",
        "run_cancel",
        "run_delete",
        "run_start",
        "traffic_start",
        "traffic_stop",
        "transaction_begin",
        "transaction_commit",
        "transaction_rollback",
        "transmission_group_retry",
        "transmissions_retry",
    ),
    Right.EDIT: (
        "assertion_change",
        "assertion_create",
        "assertion_delete",
        "assertions_bulk",
        "assertions_file_take",
        "assertions_from_flows",
        "audit_chain",
        "audit_list",
        "backup_delete",
        "broker_renew",
        "broker_switch",
        "change_set_apply",
        "change_set_conflict_decide",
        "change_set_create",
        "change_set_discard",
        "change_set_flows_intend",
        "change_set_rebase",
        "change_set_redo",
        "change_set_undo",
        "change_set_update",
        "changes_make",
        "connect_permission_set",
        "conversations_error",
        "database_attach",
        "database_detach",
        "database_failover",
        "database_restore",
        "endpoint_update",
        "finding_suppress",
        "finding_unsuppress",
        "findings_fix",
        "import_scripts",
        "key_suite_set",
        "mirroring_role_set",
        "object_create",
        "objects_edit",
        "positions_set",
        "receive_permission_set",
        "revision_revert",
        "route_create",
        "route_delete",
        "route_update",
        "sample_load",
        "send_permission_set",
    ),
    Right.TRAIN: (
        "training_group_create",
        "training_group_delete",
        "training_group_progress",
        "training_group_update",
        "training_groups_list",
    ),
    Right.ADMINISTER: (
        "account_changes_list",
        "login_link_create",
        "user_create",
        "user_read",
        "user_update",
        "users_list",
    ),
}
"""Names of operations by what they need."""

PAYLOADS = ("messages_peek", "messages_receive", "system_view_read")
"""Operations whose answers hold message bodies beside others: withheld without the right to read payloads."""

WEBSOCKETS = {"ws/live": Right.VIEW, "ws/console": Right.OPERATE}
"""What pushes; a message body only in sessions of the console, to who has the right to read payloads besides."""

LOOKS_AT_SANDBOXES = (
    "conversation_forecast",
    "findings_read",
    "instance_view_read",
    "live_read",
    "messages_peek",
    "system_view_read",
    "topology_read",
    "transmission_body_read",
    "transmission_explain",
    "what_if_answer",
    "what_if_compare",
    "what_if_dependencies",
    "what_if_examples",
    "what_if_failures",
    "what_if_future",
    "what_if_matrix",
    "what_if_questions",
    "what_if_table",
    "what_if_table_csv",
    "what_if_triptych",
)
"""Operations that answer about a private estate too, to whom it belongs and to their trainers."""

ACTS_IN_SANDBOXES = (
    "conversation_end",
    "conversations_end",
    "messages_receive",
    "queue_set_status",
    "transmission_group_retry",
    "transmissions_retry",
)
"""Operations that act in a private estate too, for whom it belongs to: lines of its log. All others have none there."""
