"""Hypothesis strategy of legal catalogs with everything that a script can tell, and what of it a script tells.

Beyond `catalogs`: names that are hard to quote, priorities, event notifications, users, keys, certificates, bindings,
permissions, logins. Private keys and master keys are secrets, so `told_by_a_script` is a catalog without them.
"""

from uuid import UUID

import msgspec
from hypothesis import strategies as st

from engine.core.catalog.changes import (
    CatalogChange,
    ContractCreated,
    DatabaseCreated,
    EndpointCreated,
    EventNotificationCreated,
    MessageTypeCreated,
    PriorityCreated,
    PriorityHonoured,
    QueueCreated,
    RouteCreated,
    ServiceAltered,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.endpoint_clauses import authentication_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import (
    DEFAULT_AUTHENTICATION,
    Activation,
    BrokerPriority,
    Contract,
    ContractUse,
    Endpoint,
    EndpointState,
    EventNotification,
    MessageType,
    Queue,
    QueueEvent,
    SentBy,
    Service,
    Validation,
)
from engine.core.catalog.permissions import Securable
from engine.core.catalog.revision import apply_change
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.catalog.security import Login, MasterKey, PrincipalKind, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateCreated,
    MasterKeyCreated,
    PermissionSet,
    RemoteServiceBindingCreated,
    UserCreated,
)
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, PermissionVerb
from engine.core.vocabulary.dialog_security import SealedKey
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime
from tests.support.catalogs import catalog_changes, catalogs, paris
from tests.support.certificates import certificate, master_key

_HARD = (
    "a]b",
    "it's",
    '"quoted"',
    "CREATE QUEUE",
    "GO",
    "--comment",
    "/*",
    "naïve 漢字",
    "x y",
    "[DEFAULT]",
    "]]",
    "$(x)",
    "$(LoginPassword)",
    "$(Dollar)(x)",
    "a.b",
    "..",
    " leading",
    "trailing ",
    ":setvar x",
    "!!",
    "a''b",
    "-- host: x",
    "e\u0301\u200b",
)
_names = st.sampled_from(_HARD) | st.text(
    st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=12
).filter(lambda name: bool(name.strip()) and name.upper() != "ANY")
_databases = st.sampled_from(["Ventes", "Lager", "msdb", "master", "D]'b", "$(D).b "])
_users = st.sampled_from(["Vendeur", "vendeur", "U]'", "$(u).v ", "public", "dbo"])
_logins = st.sampled_from(["L]'ogin", "DOM\\compte", "public"])
_services = st.sampled_from(["S]'ervice", "Lager", "//test/Réception", " $(s)]'.t"])
_queues = st.sampled_from(["dbo.File", "sch]'éma.file.d'attente", "$(s).[q] "])
_ids = st.integers(1, 4).map(lambda number: UUID(int=number))
_schemas = st.sampled_from(["dbo.Sch", "a.b]c", "x'", "[s.x].$(c)"])
_verbs = st.sampled_from(PermissionVerb)


_changes: st.SearchStrategy[CatalogChange] = st.one_of(
    st.builds(DatabaseCreated, database=_databases | _names, broker_instance=_ids),
    st.builds(
        MessageTypeCreated,
        database=_databases,
        message_type=st.builds(MessageType, _names, st.just(Validation.VALID_XML), _schemas)
        | st.builds(MessageType, _names),
    ),
    st.builds(
        ContractCreated,
        database=_databases,
        contract=st.builds(
            Contract,
            _names,
            st.tuples(st.builds(ContractUse, st.just("DEFAULT") | _names, st.sampled_from(SentBy))),
        ),
    ),
    st.builds(
        QueueCreated,
        database=_databases,
        queue=st.builds(
            Queue,
            _queues,
            is_enabled=st.booleans(),
            is_retention_enabled=st.booleans(),
            is_poison_message_handling_enabled=st.booleans(),
            activation=st.none()
            | st.builds(
                Activation,
                st.sampled_from(["dbo.Lire", "p'roc", "db..p", "[s.x].p", "s.[x.p]", "$(d).. p"]),
                st.integers(0, 3),
                st.sampled_from(["OWNER", "SELF", "U]'", " $(u)"]),
                st.booleans(),
            ),
        ),
    ),
    st.builds(
        ServiceCreated,
        database=_databases,
        service=st.builds(Service, _services | _names, _queues, st.sampled_from([(), ("DEFAULT",)]), _users),
    ),
    st.builds(ServiceAltered, database=_databases, name=_services, owner=_users),
    st.builds(
        RouteCreated,
        database=_databases,
        route=st.builds(
            Route,
            name=_names,
            address=st.just(LocalAddress()) | st.just(NetworkAddress("tcp://[::1]:4022/x'y", TcpAddress("::1", 4022))),
            service_name=st.none() | _names,
            expires_at=st.none() | st.integers(1, 10**16).map(lambda moment: UtcTime(moment / 10**6)),
        ),
    ),
    st.builds(
        PriorityCreated,
        database=_databases,
        priority=st.builds(
            BrokerPriority,
            _names,
            st.none() | st.just("DEFAULT"),
            st.none() | _services,
            st.none() | _names,
            st.integers(1, 10),
        ),
    ),
    st.builds(PriorityHonoured, database=_databases, is_honoured=st.booleans()),
    st.builds(
        EventNotificationCreated,
        database=_databases,
        notification=st.builds(
            EventNotification,
            _names,
            _queues,
            st.sets(st.sampled_from(QueueEvent), min_size=1).map(lambda events: tuple(sorted(events))),
            _services | _names,
            st.none() | _ids,
        ),
    ),
    st.builds(
        UserCreated,
        database=_databases,
        user=st.builds(User, _users | _names, login=st.none() | _logins)
        | st.builds(User, _names, st.just(PrincipalKind.MAPPED_TO_KEY)),
    ),
    st.builds(
        MasterKeyCreated,
        database=_databases,
        master_key=st.builds(MasterKey, st.just(master_key()), st.booleans()),
    ),
    st.builds(
        CertificateCreated,
        database=_databases,
        certificate=st.builds(
            lambda name, owner, is_private, is_active: msgspec.structs.replace(
                certificate("Cert", owner, is_private=is_private, subject=f"Subject of {name}"),
                name=name,
                is_active_for_begin_dialog=is_active,
            ),
            st.sampled_from(["Cert", "C]'ert", "$(c).d "]),
            _users,
            st.booleans(),
            st.booleans(),
        ),
    ),
    st.builds(
        RemoteServiceBindingCreated,
        database=_databases,
        binding=st.builds(RemoteServiceBinding, _names, _services, _users, st.booleans(), _users),
    ),
    st.builds(
        PermissionSet,
        database=_databases,
        securable=st.just(Securable.SERVICE),
        name=_services,
        verb=_verbs,
        grantee=_users,
    ),
    st.builds(
        PermissionSet,
        database=_databases,
        securable=st.just(Securable.QUEUE),
        name=_queues,
        verb=_verbs,
        grantee=_users,
    ),
    st.builds(LoginCreated, login=st.builds(Login, _logins | _names)),
    st.builds(
        EndpointCreated,
        endpoint=st.builds(
            Endpoint,
            st.just("Broker") | _names,
            st.integers(4022, 4024),
            st.sampled_from(EndpointState),
            listener_ip=st.sampled_from([None, "10.0.0.1", "::1"]),
            authentication=st.sampled_from(
                [DEFAULT_AUTHENTICATION, "WINDOWS", "CERTIFICATE [C]]'ert]", "WINDOWS NTLM CERTIFICATE [Cert]"]
            ),
            encryption=st.sampled_from(["DISABLED", "SUPPORTED", "REQUIRED ALGORITHM AES RC4"]),
        ),
    ),
    st.builds(ConnectPermissionSet, name=st.just("Broker"), verb=_verbs, grantee=_logins),
)


def _all_applied(catalog: InstanceCatalog, changes: list[CatalogChange]) -> InstanceCatalog:
    for change in changes:
        try:
            apply_change(catalog, change)
        except CatalogError:
            continue
    return catalog


_beginning = [
    DatabaseCreated(database="Ventes", broker_instance=UUID(int=77)),
    MasterKeyCreated(database="master", master_key=MasterKey(master_key())),
    MessageTypeCreated(database="Ventes", message_type=MessageType("Commande")),
    ContractCreated(database="Ventes", contract=Contract("C]'", (ContractUse("Commande", SentBy.ANY),))),
    QueueCreated(database="Ventes", queue=Queue("dbo.File")),
    ServiceCreated(database="Ventes", service=Service("Lager", "dbo.File", ("C]'",))),
    UserCreated(database="Ventes", user=User("Vendeur")),
]

secured_catalogs = st.one_of(
    catalogs.flatmap(lambda catalog: st.lists(_changes, max_size=12).map(lambda found: _all_applied(catalog, found))),
    st.builds(
        lambda few, changes: _all_applied(paris(), [*_beginning[:few], *changes]),
        st.integers(0, len(_beginning)),
        st.lists(_changes | catalog_changes, max_size=40),
    ),
)
"""Legal catalogs of PARIS: what is left of many changes when the illegal ones are refused."""

_NO_KEY = MasterKey(SealedKey(b""))


def told_by_a_script(catalog: InstanceCatalog) -> InstanceCatalog:
    """The catalog less its secrets: no private keys, so no endpoint that shows a certificate; other master keys."""
    databases = {}
    for name, database in catalog.databases.items():
        certificates = {
            key: msgspec.structs.replace(each, private_key=None, is_password_protected=False)
            for key, each in database.certificates.items()
        }
        databases[name] = msgspec.structs.replace(database, certificates=certificates)
    endpoint = catalog.endpoint
    if endpoint is not None and authentication_of(endpoint.authentication).certificate is not None:
        endpoint = msgspec.structs.replace(endpoint, authentication=DEFAULT_AUTHENTICATION)
    return folded(msgspec.structs.replace(catalog, databases=databases, endpoint=endpoint))


def folded(catalog: InstanceCatalog) -> InstanceCatalog:
    """The catalog without what is no difference: the material of master keys, the order of permissions."""

    def fold(database: DatabaseCatalog) -> DatabaseCatalog:
        replace = msgspec.structs.replace
        key = database.master_key
        return replace(
            database,
            master_key=None if key is None else replace(_NO_KEY, is_encrypted_by_server=key.is_encrypted_by_server),
            services={
                name: replace(each, send_permissions=tuple(sorted(each.send_permissions, key=str)))
                for name, each in database.services.items()
            },
            queues={
                name: replace(each, receive_permissions=tuple(sorted(each.receive_permissions, key=str)))
                for name, each in database.queues.items()
            },
        )

    return msgspec.structs.replace(
        catalog, revision=0, databases={name: fold(database) for name, database in catalog.databases.items()}
    )
