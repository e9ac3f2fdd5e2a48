/*  BERLIN checks sizes and keeps the books.

    Lagerverwaltung works for PARIS, and everything between the two goes through HUB. Buchhaltung is mirrored: LYON
    holds the copy. Einkauf would take orders, if anybody knew the way.
*/
:CONNECT BERLIN
-- host: berlin, berlin.beispiel.de

CREATE ENDPOINT Vermittlung
    STATE = STARTED
    AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED);
GO

-- broker_instance: e97c4b16-3ad5-4821-bf60-7d05c2e8a906
CREATE DATABASE Lagerverwaltung;
-- broker_instance: d4a85e17-0b6f-4c92-b3d8-6e51f09a2c05
CREATE DATABASE Buchhaltung;
-- broker_instance: 0cf3d86b-91e4-47a2-8b5d-4e6a1f7c3b07
CREATE DATABASE Einkauf;
GO

-- ---------------------------------------------------------------------------------------------------- Lagerverwaltung
USE Lagerverwaltung;
GO
CREATE MESSAGE TYPE [//beispiel.de/Lager/Prüfauftrag];
CREATE MESSAGE TYPE [//beispiel.de/Lager/Prüfergebnis];
CREATE CONTRACT [//beispiel.de/Lager/Prüfvertrag] (
    [//beispiel.de/Lager/Prüfauftrag]  SENT BY INITIATOR,
    [//beispiel.de/Lager/Prüfergebnis] SENT BY TARGET);
CREATE QUEUE dbo.[Prüfaufträge];
CREATE SERVICE [//beispiel.de/Lager/Größenprüfung]
    ON QUEUE dbo.[Prüfaufträge] ([//beispiel.de/Lager/Prüfvertrag]);
GRANT SEND ON SERVICE::[//beispiel.de/Lager/Größenprüfung] TO [public];
GO
CREATE ROUTE [Rückweg über HUB] WITH
    SERVICE_NAME = N'//exemple.fr/Ventes/Guichet',
    ADDRESS = N'TCP://hub:4022';
GO

-- ---------------------------------------------------------------------------------------------------- Buchhaltung
-- The principal of the pair. Its way back is an ordinary TCP route, never LOCAL: it must still be true when the
-- copy in LYON takes over.
USE Buchhaltung;
GO
CREATE MESSAGE TYPE [//beispiel.de/Buchhaltung/Rechnung] VALIDATION = WELL_FORMED_XML;
CREATE MESSAGE TYPE [//beispiel.de/Buchhaltung/Quittung] VALIDATION = EMPTY;
CREATE CONTRACT [//beispiel.de/Buchhaltung/Vertrag] (
    [//beispiel.de/Buchhaltung/Rechnung] SENT BY INITIATOR,
    [//beispiel.de/Buchhaltung/Quittung] SENT BY TARGET);
CREATE QUEUE dbo.[Eingangsrechnungen];
CREATE SERVICE [//beispiel.de/Buchhaltung/Rechnungen]
    ON QUEUE dbo.[Eingangsrechnungen] ([//beispiel.de/Buchhaltung/Vertrag]);
GRANT SEND ON SERVICE::[//beispiel.de/Buchhaltung/Rechnungen] TO [public];
CREATE ROUTE [Rückweg nach Paris] WITH
    SERVICE_NAME = N'//exemple.fr/Ventes/Guichet',
    ADDRESS = N'TCP://paris:4022';
GO
ALTER DATABASE Buchhaltung SET PARTNER = N'TCP://lyon:5022';  -- role: principal
GO

-- ---------------------------------------------------------------------------------------------------- Einkauf
-- Planted: a service without route. Nobody in this network has a route to it.
USE Einkauf;
GO
CREATE QUEUE dbo.[Bestellungen];
CREATE SERVICE [//beispiel.de/Einkauf/Bestellungen] ON QUEUE dbo.[Bestellungen] ([DEFAULT]);
GRANT SEND ON SERVICE::[//beispiel.de/Einkauf/Bestellungen] TO [public];
GO
