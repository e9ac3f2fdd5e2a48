"""Views and columns that a server has and this console has not: named as such, and never as a misspelling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from engine.core.system_views.query import SYSTEM_VIEWS
from engine.tsql.console.session_views import SESSION_VIEWS
from engine.tsql.words import words

_MANAGEMENT: Final = words(
    """
    AUDIT CACHE CDC CLR CLUSTER COLUMN CRYPTOGRAPHIC DATABASE DB EXEC EXTERNAL FILESTREAM FTS HADR HS IO LOGPOOL OS PAL
    QN REPL RESOURCE SERVER SQL TCP TRAN XACT XE XTP
    """
)
"""What sys.dm_ goes on with, up to the next underscore."""
_CATALOG: Final = words(
    """
    ALL_COLUMNS ALL_OBJECTS ALL_PARAMETERS ALL_SQL_MODULES ALL_VIEWS ALLOCATION_UNITS ASSEMBLIES ASSEMBLY_FILES
    ASSEMBLY_MODULES ASSEMBLY_REFERENCES ASSEMBLY_TYPES ASYMMETRIC_KEYS AVAILABILITY_DATABASES_CLUSTER
    AVAILABILITY_GROUPS AVAILABILITY_GROUPS_CLUSTER AVAILABILITY_GROUP_LISTENERS AVAILABILITY_REPLICAS BACKUP_DEVICES
    CHANGE_TRACKING_DATABASES CHANGE_TRACKING_TABLES CHECK_CONSTRAINTS COLUMNS COLUMN_TYPE_USAGES COMPUTED_COLUMNS
    CONFIGURATIONS CREDENTIALS CRYPT_PROPERTIES CRYPTOGRAPHIC_PROVIDERS DATABASE_AUDIT_SPECIFICATIONS
    DATABASE_FILES DATABASE_MIRRORING_ENDPOINTS DATABASE_MIRRORING_WITNESSES DATABASE_QUERY_STORE_OPTIONS
    DATABASE_RECOVERY_STATUS DATABASE_ROLE_MEMBERS DATABASE_SCOPED_CONFIGURATIONS DATA_SPACES DEFAULT_CONSTRAINTS
    DESTINATION_DATA_SPACES EVENTS EVENT_NOTIFICATION_EVENT_TYPES EXTENDED_PROCEDURES EXTENDED_PROPERTIES
    EXTERNAL_TABLES FILEGROUPS FOREIGN_KEYS FOREIGN_KEY_COLUMNS FULLTEXT_CATALOGS FULLTEXT_INDEXES HTTP_ENDPOINTS
    IDENTITY_COLUMNS INDEXES INDEX_COLUMNS KEY_CONSTRAINTS KEY_ENCRYPTIONS LINKED_LOGINS LOGIN_TOKEN MASTER_FILES
    MASTER_KEY_PASSWORDS MESSAGES MODULE_ASSEMBLY_USAGES NUMBERED_PROCEDURES OPENKEYS PARAMETERS PARAMETER_TYPE_USAGES
    PARTITION_FUNCTIONS PARTITION_SCHEMES PLAN_GUIDES QUERY_STORE_PLAN QUERY_STORE_QUERY QUERY_STORE_RUNTIME_STATS
    REMOTE_LOGINS SECURABLE_CLASSES SECURITY_POLICIES SEQUENCES SERVERS SERVER_AUDITS SERVER_EVENTS
    SERVER_EVENT_NOTIFICATIONS SERVER_EVENT_SESSIONS SERVER_PERMISSIONS SERVER_PRINCIPALS SERVER_ROLE_MEMBERS
    SERVER_TRIGGERS SOAP_ENDPOINTS SQL_DEPENDENCIES SQL_EXPRESSION_DEPENDENCIES SQL_LOGINS SQL_MODULES STATS
    STATS_COLUMNS SYNONYMS SYSTEM_COLUMNS SYSTEM_OBJECTS SYSTEM_PARAMETERS SYSTEM_SQL_MODULES SYSTEM_VIEWS TABLES
    TABLE_TYPES TRACES TRACE_EVENTS TRIGGERS TRIGGER_EVENTS TRIGGER_EVENT_TYPES TYPES TYPE_ASSEMBLY_USAGES USER_TOKEN
    VIA_ENDPOINTS VIEWS XML_INDEXES XML_SCHEMA_ATTRIBUTES XML_SCHEMA_COLLECTIONS XML_SCHEMA_COMPONENTS
    XML_SCHEMA_ELEMENTS XML_SCHEMA_NAMESPACES XML_SCHEMA_TYPES
    SYSALTFILES SYSCOLUMNS SYSCOMMENTS SYSCONFIGURES SYSDATABASES SYSFILES SYSINDEXES SYSLOGINS SYSMEMBERS SYSMESSAGES
    SYSOBJECTS SYSPERMISSIONS SYSPROCESSES SYSREFERENCES SYSSERVERS SYSTYPES SYSUSERS
    """
)
_INFORMATION: Final = words(
    """
    CHECK_CONSTRAINTS COLUMNS COLUMN_DOMAIN_USAGE COLUMN_PRIVILEGES CONSTRAINT_COLUMN_USAGE CONSTRAINT_TABLE_USAGE
    DOMAINS DOMAIN_CONSTRAINTS KEY_COLUMN_USAGE PARAMETERS REFERENTIAL_CONSTRAINTS ROUTINES ROUTINE_COLUMNS SCHEMATA
    SEQUENCES TABLES TABLE_CONSTRAINTS TABLE_PRIVILEGES VIEWS VIEW_COLUMN_USAGE VIEW_TABLE_USAGE
    """
)


_MODELLED: Final = {
    **{view.name: frozenset(column.name for column in view.columns) for view in SYSTEM_VIEWS},
    **{name: frozenset(column.name for column in columns) for name, columns in SESSION_VIEWS.items()},
}
"""The columns of each view that is here."""
_UNMODELLED: Final = {
    "sys.databases": words(
        """
        catalog_collation_type catalog_collation_type_desc collation_name compatibility_level containment
        containment_desc create_date default_fulltext_language_lcid default_fulltext_language_name
        default_language_lcid default_language_name delayed_durability delayed_durability_desc group_database_id
        is_accelerated_database_recovery_on is_ansi_null_default_on is_ansi_nulls_on is_ansi_padding_on
        is_ansi_warnings_on is_arithabort_on is_auto_close_on is_auto_create_stats_incremental_on
        is_auto_create_stats_on is_auto_shrink_on is_auto_update_stats_async_on is_auto_update_stats_on is_cdc_enabled
        is_change_feed_enabled is_cleanly_shutdown is_concat_null_yields_null_on is_cursor_close_on_commit_on
        is_data_retention_enabled is_date_correlation_on is_db_chaining_on is_distributor is_encrypted
        is_federation_member is_fulltext_enabled is_in_standby is_ledger_on is_local_cursor_default
        is_master_key_encrypted_by_server is_memory_optimized_elevate_to_snapshot_on is_memory_optimized_enabled
        is_merge_published is_mixed_page_allocation_on is_nested_triggers_on is_numeric_roundabort_on
        is_parameterization_forced is_published is_query_store_on is_quoted_identifier_on is_read_committed_snapshot_on
        is_recursive_triggers_on is_remote_data_archive_enabled is_result_set_caching_on is_stale_page_detection_on
        is_subscribed is_supplemental_logging_enabled is_sync_with_backup is_tempdb_spill_to_remote_store
        is_temporal_history_retention_enabled is_transform_noise_words_on log_reuse_wait log_reuse_wait_desc
        page_verify_option page_verify_option_desc physical_database_name recovery_model recovery_model_desc
        replica_id resource_pool_id snapshot_isolation_state snapshot_isolation_state_desc source_database_id
        target_recovery_time_in_seconds two_digit_year_cutoff
        """
    ),
    "sys.database_mirroring": words(
        """
        mirroring_connection_timeout mirroring_end_of_log_lsn mirroring_failover_lsn mirroring_redo_queue
        mirroring_redo_queue_type mirroring_replication_lsn mirroring_role_sequence mirroring_safety_sequence
        mirroring_witness_state mirroring_witness_state_desc
        """
    ),
    "sys.database_principals": words("allow_encrypted_value_modifications default_language_lcid default_language_name"),
    "sys.dm_exec_sessions": words(
        """
        ansi_defaults ansi_nulls ansi_padding ansi_warnings arithabort authenticating_database_id
        client_interface_name client_version concat_null_yields_null context_info endpoint_id group_id is_filtered
        last_successful_logon last_unsuccessful_logon logical_reads nt_domain nt_user_name original_security_id
        page_server_reads quoted_identifier reads total_elapsed_time total_scheduled_time unsuccessful_logons writes
        """
    ),
    "sys.dm_exec_requests": words(
        """
        ansi_defaults ansi_null_dflt_on ansi_nulls ansi_padding ansi_warnings arithabort concat_null_yields_null
        connection_id context_info date_first date_format dist_statement_id dop estimated_completion_time
        executing_managed_code granted_query_memory group_id is_resumable language last_wait_type logical_reads
        nest_level open_resultset_count page_resource page_server_reads parallel_worker_count percent_complete
        plan_handle query_hash query_plan_hash quoted_identifier reads scheduler_id sql_handle statement_context_id
        statement_end_offset statement_sql_handle statement_start_offset task_address text_size transaction_id
        wait_resource writes
        """
    ),
}
"""The columns of a server's view that the view of its name has not here."""


def is_unmodelled(schema: str, name: str) -> bool:
    """Whether a server has a view of this name that is not modelled here."""
    schema, name = schema.upper(), name.upper()
    if schema == "INFORMATION_SCHEMA":
        return name in _INFORMATION
    if schema != "SYS":
        # sysobjects and its kin stand without a schema, too.
        return name.startswith("SYS") and name in _CATALOG
    if f"sys.{name.lower()}" in _MODELLED:
        return False
    return name.split("_")[1] in _MANAGEMENT if name.startswith("DM_") else name in _CATALOG


def unmodelled_column(column: exp.Column) -> str | None:
    """The full name of a column that a server has in a view and that is not modelled here; None for any other."""
    name, qualifier = column.name.lower(), column.table.casefold()
    select = column.find_ancestor(exp.Select)
    while select is not None:
        tables = list(_sources(select))
        if qualifier:
            tables = [each for each in tables if each.alias_or_name.casefold() == qualifier]
        views = [f"sys.{each.name.lower()}" if _is_view(each) else "" for each in tables]
        # A name that another source, or the SELECT itself, may give to a column is left to the binding of names.
        if all(view in _MODELLED and name not in _MODELLED[view] for view in views) and not _gives(select, name):
            for view in views:
                if name in _UNMODELLED.get(view, ()):
                    return f"{view}.{name}"
        elif views:
            return None
        select = select.find_ancestor(exp.Select)
    return None


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    if (clause := select.args.get("from_")) is not None:
        yield clause.this
    for join in select.args.get("joins") or []:
        yield join.this


def _is_view(source: exp.Expr) -> bool:
    return isinstance(source, exp.Table) and source.db.upper() == "SYS"


def _gives(select: exp.Select, name: str) -> bool:
    return any(isinstance(each, exp.Alias) and each.alias.lower() == name for each in select.expressions)
