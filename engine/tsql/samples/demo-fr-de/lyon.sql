/*  LYON stores and ships.

    Entrepôt receives the orders of PARIS, and reports returned goods to PARIS by itself. Archives receives and cannot
    answer. Buchhaltung is the mirror copy of a database in BERLIN: it takes nothing in until BERLIN fails over.
*/
:CONNECT LYON
-- host: lyon, lyon.exemple.fr

CREATE ENDPOINT [Point de courtage]
    STATE = STARTED
    AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED);
GO

-- broker_instance: a1d7c3f8-64b2-4e90-8c15-2b7f0e9d4a03
CREATE DATABASE [Entrepôt];
-- broker_instance: 58e2b90c-17fa-4d36-9e74-c3a6d18b5f04
CREATE DATABASE Archives;
-- The same id as in berlin.sql: one database, two copies.
-- broker_instance: d4a85e17-0b6f-4c92-b3d8-6e51f09a2c05
CREATE DATABASE Buchhaltung;
GO

-- ---------------------------------------------------------------------------------------------------- msdb
-- What arrives from the network is routed by msdb. LYON lets in by name: no catch-all, one LOCAL route per service
-- that others may reach. The mirrored service is on the list too, for the day LYON becomes the principal.
USE msdb;
GO
IF EXISTS (SELECT * FROM sys.routes WHERE name = N'AutoCreatedLocal')
    DROP ROUTE AutoCreatedLocal;
CREATE ROUTE [Entrée réception]  WITH SERVICE_NAME = N'//exemple.fr/Commandes/Réception',     ADDRESS = N'LOCAL';
CREATE ROUTE [Entrée suivi]      WITH SERVICE_NAME = N'//exemple.fr/Expédition/Suivi',        ADDRESS = N'LOCAL';
CREATE ROUTE [Entrée inventaire] WITH SERVICE_NAME = N'//exemple.fr/Entrepôt/Inventaire',     ADDRESS = N'LOCAL';
CREATE ROUTE [Entrée dépôt]      WITH SERVICE_NAME = N'//exemple.fr/Archives/Dépôt',          ADDRESS = N'LOCAL';
CREATE ROUTE [Entrée factures]   WITH SERVICE_NAME = N'//beispiel.de/Buchhaltung/Rechnungen', ADDRESS = N'LOCAL';
GO

-- ---------------------------------------------------------------------------------------------------- Entrepôt
USE [Entrepôt];
GO
CREATE MESSAGE TYPE [//exemple.fr/Commandes/Commande];
CREATE MESSAGE TYPE [//exemple.fr/Commandes/Confirmation];
CREATE CONTRACT [//exemple.fr/Commandes/Contrat] (
    [//exemple.fr/Commandes/Commande]     SENT BY INITIATOR,
    [//exemple.fr/Commandes/Confirmation] SENT BY TARGET);

CREATE MESSAGE TYPE [//exemple.fr/Retours/Avis];
CREATE CONTRACT [//exemple.fr/Retours/Contrat] ([//exemple.fr/Retours/Avis] SENT BY ANY);
GO

CREATE QUEUE dbo.[Commandes reçues];
CREATE QUEUE dbo.[Suivi];
CREATE QUEUE dbo.[Inventaire];

CREATE SERVICE [//exemple.fr/Commandes/Réception]
    ON QUEUE dbo.[Commandes reçues] ([//exemple.fr/Commandes/Contrat]);
GRANT SEND ON SERVICE::[//exemple.fr/Commandes/Réception] TO [public];
CREATE SERVICE [//exemple.fr/Expédition/Suivi] ON QUEUE dbo.[Suivi];
CREATE SERVICE [//exemple.fr/Entrepôt/Inventaire] ON QUEUE dbo.[Inventaire] ([DEFAULT]);
GRANT SEND ON SERVICE::[//exemple.fr/Entrepôt/Inventaire] TO [public];
GO

-- The way back. Acknowledgements and answers are routed like any message, by the database they leave: without these
-- routes the orders would arrive, and PARIS would never hear of it.
CREATE ROUTE [Retour au guichet] WITH
    SERVICE_NAME = N'//exemple.fr/Ventes/Guichet',
    ADDRESS = N'TCP://paris:4022';
CREATE ROUTE [Vers les retours] WITH
    SERVICE_NAME = N'//exemple.fr/Ventes/Retours',
    ADDRESS = N'TCP://paris:4022';
GO

-- ---------------------------------------------------------------------------------------------------- Archives
-- Planted: no way back to PARIS (see paris.sql, route Vers le dépôt).
USE Archives;
GO
CREATE QUEUE dbo.[Dépôt];
CREATE SERVICE [//exemple.fr/Archives/Dépôt] ON QUEUE dbo.[Dépôt] ([DEFAULT]);
GRANT SEND ON SERVICE::[//exemple.fr/Archives/Dépôt] TO [public];
GO

-- ---------------------------------------------------------------------------------------------------- Buchhaltung
-- A copy holds what its principal holds; on a real server it comes from a backup. Compare berlin.sql.
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
ALTER DATABASE Buchhaltung SET PARTNER = N'TCP://berlin:5022';  -- role: mirror
GO
