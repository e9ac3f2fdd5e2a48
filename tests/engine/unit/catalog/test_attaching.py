"""A backup is not changed by what becomes of the database that came from it."""

from engine.core.catalog.attaching import Attachment, attach
from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import (
    ContractDropped,
    DatabaseDropped,
    MessageTypeDropped,
    QueueDropped,
    RouteDropped,
    ServiceDropped,
)
from engine.core.catalog.revision import apply_change, copy
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import DatabaseRows
from engine.core.vocabulary.settings import RestoreDelivery
from tests.support.catalogs import COMMANDES, LIVRAISON, ORDRE, OTHER_ID, VENTES, paris, ventes


def test_a_backup_stays_as_it_is_while_the_attached_database_loses_everything():
    saved = copy(ventes()).databases[VENTES]
    backup = DatabaseBackup(definition=saved, rows=DatabaseRows(name=VENTES), taken_at=UtcTime(0.0))
    catalog = paris()
    attached = attach(
        catalog,
        Attachment(
            database=VENTES,
            backup=backup,
            option=None,
            new_broker_instance=OTHER_ID,
            delivery=RestoreDelivery.UNCHANGED,
        ),
    )
    assert attached.database == ventes().databases[VENTES]
    for change in (
        ServiceDropped(database=VENTES, name=COMMANDES),
        ContractDropped(database=VENTES, name=LIVRAISON),
        MessageTypeDropped(database=VENTES, name=ORDRE),
        QueueDropped(database=VENTES, name="dbo.File"),
        RouteDropped(database=VENTES, name="AutoCreatedLocal"),
        DatabaseDropped(database=VENTES),
    ):
        apply_change(catalog, change)
    assert saved == ventes().databases[VENTES]
