"""Random estates with dialog security and endpoints that log in by certificate: good, missing, expired, of others.

What a seed of `random_estates` makes is secured afterwards: owners, users, certificates, bindings, master keys and
SEND permissions between the sender's database and those that may take its message, then certificates, logins and
CONNECT of endpoints. Certificates are made up: a world of `EstateWorld` takes each for what its catalog says of it.
"""

from itertools import permutations

import msgspec

from engine.core.catalog.changes import EndpointAltered
from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import Certificate, Login, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateCreated,
    MasterKeyAltered,
    MasterKeyCreated,
    PermissionSet,
    RemoteServiceBindingCreated,
    UserCreated,
)
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, PermissionVerb
from engine.core.vocabulary.dialog_security import CertificateReference, SealedKey
from engine.core.vocabulary.identifiers import MASTER
from tests.support.random_estates import FROM, HOME, NOW, Maker

YEAR = 365 * 86_400.0


def paper_certificate(number, owner="dbo", **fields):
    """A certificate with its private key that a world of `EstateWorld` takes for what it says of itself."""
    name = f"Certificate {number}"
    given = {
        "starts_at": NOW - YEAR,
        "expires_at": NOW + YEAR,
        "key_bits": 2048,
        "private_key": SealedKey(b"sealed %d" % number),
    } | fields
    return Certificate(
        name=name,
        owner=owner,
        certificate=name.encode(),
        subject=name,
        reference=CertificateReference("issuer", f"{number:x}"),
        **given,
    )


def public_half(certificate, owner):
    """As another database has it."""
    return msgspec.structs.replace(certificate, owner=owner, private_key=None, is_active_for_begin_dialog=True)


def secured_case(seed):
    """What a seed makes: the same always."""
    return _SecuredMaker(seed).case()


class _SecuredMaker(Maker):
    def case(self):
        found = super().case()
        flow = found.flow
        homes = [(flow.instance, HOME)]
        homes += [
            (name, database.name)
            for name, catalog in self.catalogs.items()
            for database in catalog.databases.values()
            if flow.to_service in database.services and (name, database.name) != homes[0]
        ]
        for home in homes:
            self.keys_of(home)
        for target in homes[1:]:
            self.acquaint(homes[0], target, flow.to_service)
        if self.often(80):
            self.bind(homes[0], flow.to_service, homes[1:])
        if self.often(35):
            self.certificates_of_endpoints()
        return found._replace(flow=msgspec.structs.replace(flow, encryption=self.often(45)))

    # ── dialogs ──────────────────────────────────────────────────────────────────────────────────────────────────
    def keys_of(self, home):
        """A master key, and certificates of the owners of services."""
        instance, database = home
        if self.often(5):
            return
        self.obey(instance, MasterKeyCreated(database=database, master_key=MasterKey(self.sealed())))
        for owner in ("dbo", "clerk"):
            for _ in range(self.dice.choice((0, *[1] * 16, 2, 2))):
                self.obey(instance, CertificateCreated(database=database, certificate=self.certificate(owner)))
        if self.often(6):
            self.obey(instance, MasterKeyAltered(database=database, is_encrypted_by_server=False))

    def acquaint(self, one, other, to_service):
        """Users that stand for each other, with the certificates that they show, or others, or none."""
        for (here, place), there in permutations((one, other)):
            user = f"user of {there[0]} {there[1]}"
            self.obey(here, UserCreated(database=place, user=User(user, login=self.one_of(None, "SHARED"))))
            for certificate in self.owned(there):
                if self.often(97 if certificate.owner == self.owner_at(there, to_service) else 25):
                    self.import_to(here, place, certificate, user)
            if self.often(6):
                self.import_to(here, place, self.certificate(user), user)
        if self.often(50):
            instance, database = other
            if self.often(60):
                self.withdraw(instance, database, Securable.SERVICE, to_service)
            self.obey(
                instance,
                PermissionSet(
                    database=database,
                    verb=PermissionVerb.GRANT if self.often(85) else PermissionVerb.DENY,
                    securable=Securable.SERVICE,
                    name=to_service,
                    grantee=f"user of {one[0]} {one[1]}",
                ),
            )

    def owner_at(self, home, to_service):
        """Who owns the service that sends from a database or takes there."""
        instance, database = home
        services = self.catalogs[instance].databases[database].services
        found = services.get(to_service) or services.get(FROM)
        return None if found is None else found.owner

    def bind(self, home, to_service, targets):
        instance, database = home
        users = [f"user of {there[0]} {there[1]}" for there in targets] or ["clerk"]
        name = self.dice.choice(users) if self.often(92) else "clerk"
        binding = RemoteServiceBinding("Binding", to_service, name, is_anonymous=self.often(40))
        self.obey(instance, RemoteServiceBindingCreated(database=database, binding=binding))

    # ── endpoints ────────────────────────────────────────────────────────────────────────────────────────────────
    def certificates_of_endpoints(self):
        names = [name for name, catalog in self.catalogs.items() if catalog.endpoint is not None]
        for name in names:
            if self.often(8):
                continue
            self.obey(name, MasterKeyCreated(database=MASTER, master_key=MasterKey(self.sealed())))
            shown = self.certificate("dbo", odd=3)
            self.obey(name, CertificateCreated(database=MASTER, certificate=shown))
            clause = self.one_of(
                f"CERTIFICATE [{shown.name}]",
                f"CERTIFICATE [{shown.name}]",
                f"CERTIFICATE [{shown.name}] WINDOWS",
                f"WINDOWS CERTIFICATE [{shown.name}]",
            )
            self.obey(name, EndpointAltered(name="Broker", authentication=clause))
            if self.often(10):
                self.connect(name, "public", PermissionVerb.GRANT)
        for here, there in permutations(names, 2):
            for certificate in self.owned((there, MASTER)):
                if self.often(6):
                    continue
                login = f"login of {there}"
                owner = "dbo" if self.often(10) else login
                self.obey(here, LoginCreated(login=Login(login)))
                self.obey(here, UserCreated(database=MASTER, user=User(login, login=login)))
                self.import_to(here, MASTER, certificate, owner)
                if self.often(94):
                    self.connect(here, login, PermissionVerb.GRANT if self.often(96) else PermissionVerb.DENY)

    def connect(self, instance, grantee, verb):
        self.obey(instance, ConnectPermissionSet(name="Broker", verb=verb, grantee=grantee))

    # ── certificates ─────────────────────────────────────────────────────────────────────────────────────────────
    def owned(self, home):
        """Certificates of a database that have a private key there."""
        instance, database = home
        certificates = self.catalogs[instance].databases[database].certificates
        return [each for each in certificates.values() if each.private_key is not None]

    def sealed(self):
        self.numbers += 1
        return SealedKey(b"sealed %d" % self.numbers)

    def certificate(self, owner, odd=6):
        """With its private key; `odd` is how often, in percent, each thing is wrong with it."""
        key = self.sealed()
        starts_at, expires_at = NOW - YEAR, NOW + self.dice.choice((0.5, 1.0, 2.0)) * YEAR
        if self.often(odd):
            starts_at, expires_at = self.one_of((NOW - 2 * YEAR, NOW - YEAR), (NOW + YEAR, NOW + 2 * YEAR))
        is_password_protected = self.often(odd / 3)
        return paper_certificate(
            self.numbers,
            owner,
            starts_at=starts_at,
            expires_at=expires_at,
            key_bits=2048 if not self.often(odd / 6) else 2050,
            private_key=None if is_password_protected or self.often(odd / 3) else key,
            is_password_protected=is_password_protected,
            is_active_for_begin_dialog=not self.often(odd / 3),
        )

    def import_to(self, instance, database, certificate, owner):
        """The public half; now and then another one of the same issuer and serial number."""
        public = public_half(certificate, owner)
        if self.often(3):
            public = msgspec.structs.replace(public, certificate=b"another " + public.certificate)
        self.obey(instance, CertificateCreated(database=database, certificate=public))
