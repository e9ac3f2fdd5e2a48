"""No secret is in a script; what a person must supply is said, and an import does without."""

from engine.core.catalog.changes import DatabaseCreated, EndpointCreated
from engine.core.catalog.objects import Endpoint
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.security import Login, MasterKey
from engine.core.catalog.security_changes import CertificateCreated, MasterKeyCreated
from engine.core.catalog.server_changes import LoginCreated
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from engine.tsql.writing.scripts import ScriptOptions, full_script, whole_script
from tests.support.catalogs import ID
from tests.support.certificates import VAULT, certificate, master_key, material
from tests.support.numbered_entropy import NumberedEntropy

PARIS = InstanceName("PARIS")
SHOWN = "CERTIFICATE [Own] WINDOWS"


def proving() -> dict:
    """PARIS, whose endpoint shows a certificate of master."""
    catalog = apply_changes(
        new_instance(PARIS, NumberedEntropy()),
        [
            DatabaseCreated(database="Ventes", broker_instance=ID),
            MasterKeyCreated(database="master", master_key=MasterKey(master_key())),
            CertificateCreated(database="master", certificate=certificate("Own", "dbo")),
            LoginCreated(login=Login("LYON")),
            LoginCreated(login=Login("DOM\\lyon")),
            EndpointCreated(endpoint=Endpoint("Broker", 4022, authentication=SHOWN)),
        ],
    )
    return {PARIS: catalog}


def script(catalogs: dict):
    return whole_script(full_script(catalogs, ScriptOptions()))


def read(text: str, onto: dict):
    return plan_import(
        [parse_script(text, "s.sql")],
        onto,
        default_instance=PARIS,
        now=UtcTime(1_700_000_000.0),
        entropy=NumberedEntropy(100),
        smith=VAULT,
    )


def test_no_key_leaves_and_what_is_missing_is_said() -> None:
    text = script(proving()).text
    facts, private_key = material("Own")
    assert facts.certificate.hex().upper() in text
    for secret in (private_key, master_key()):
        for form in (secret.sealed.hex(), secret.sealed.hex().upper()):
            assert form not in text
    assert "CREATE MASTER KEY ENCRYPTION BY PASSWORD = N'$(MasterKeyPassword)';" in text
    assert "CREATE LOGIN [LYON] WITH PASSWORD = N'$(LoginPassword)';" in text
    assert "CREATE LOGIN [DOM\\lyon] FROM WINDOWS;" in text
    told = " ".join(warning.text for warning in script(proving()).warnings)
    for words in ("MasterKeyPassword", "LoginPassword", "private key of certificate Own"):
        assert words in told


def test_an_endpoint_that_shows_a_certificate_comes_back_without_it_and_this_is_a_warning() -> None:
    text = script(proving()).text
    plan = read(text, {})
    assert plan.problems == ()
    assert plan.catalogs[PARIS].endpoint.authentication == "WINDOWS NEGOTIATE"
    assert ["private key of certificate 'Own'" in warning.text for warning in plan.warnings] == [True]
    assert read(text, plan.catalogs).changes == {}


def test_over_the_estate_that_it_describes_the_script_changes_nothing() -> None:
    plan = read(script(proving()).text, proving())
    assert (plan.problems, plan.changes, plan.warnings) == ((), {}, ())
    assert {row.effect for row in plan.rows} == {Effect.SAME}
