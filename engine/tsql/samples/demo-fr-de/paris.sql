/*  PARIS sells.

    Ventes takes orders at its counter, the service Guichet, and begins conversations with
      - LYON, directly                            (route Vers la réception)
      - BERLIN, through the forwarder HUB         (route Vers Berlin)
      - a database of its own instance            (route Facturation sur place)
      - a mirrored database in BERLIN and LYON    (route Comptabilité allemande)

    Four things are wrong here on purpose; each says so where it stands.
*/
:CONNECT PARIS
-- host: paris, paris.exemple.fr

CREATE ENDPOINT [Point de courtage]
    STATE = STARTED
    AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED);
GO

-- A database is a broker. Its id travels in messages; a real server makes it up, here it is fixed so that routes of
-- other instances can name it.
-- broker_instance: 3c0f6a52-8d1e-4b57-9a4e-1f2d7b6c5e01
CREATE DATABASE Ventes;
-- broker_instance: 7b9e21d4-52c3-4f08-8e6b-90d3a41c7f02
CREATE DATABASE Facturation;
GO

-- ---------------------------------------------------------------------------------------------------- Ventes
USE Ventes;
GO
-- Types and contracts must exist under the same names on both sides: compare lyon.sql and berlin.sql.
CREATE MESSAGE TYPE [//exemple.fr/Commandes/Commande];
CREATE MESSAGE TYPE [//exemple.fr/Commandes/Confirmation];
CREATE CONTRACT [//exemple.fr/Commandes/Contrat] (
    [//exemple.fr/Commandes/Commande]     SENT BY INITIATOR,
    [//exemple.fr/Commandes/Confirmation] SENT BY TARGET);

CREATE MESSAGE TYPE [//exemple.fr/Retours/Avis];
CREATE CONTRACT [//exemple.fr/Retours/Contrat] ([//exemple.fr/Retours/Avis] SENT BY ANY);

CREATE MESSAGE TYPE [//beispiel.de/Lager/Prüfauftrag];
CREATE MESSAGE TYPE [//beispiel.de/Lager/Prüfergebnis];
CREATE CONTRACT [//beispiel.de/Lager/Prüfvertrag] (
    [//beispiel.de/Lager/Prüfauftrag]  SENT BY INITIATOR,
    [//beispiel.de/Lager/Prüfergebnis] SENT BY TARGET);

CREATE MESSAGE TYPE [//beispiel.de/Buchhaltung/Rechnung] VALIDATION = WELL_FORMED_XML;
CREATE MESSAGE TYPE [//beispiel.de/Buchhaltung/Quittung] VALIDATION = EMPTY;
CREATE CONTRACT [//beispiel.de/Buchhaltung/Vertrag] (
    [//beispiel.de/Buchhaltung/Rechnung] SENT BY INITIATOR,
    [//beispiel.de/Buchhaltung/Quittung] SENT BY TARGET);
GO

CREATE QUEUE dbo.[Réponses];
CREATE QUEUE dbo.[Retours];

-- Guichet only begins conversations, so it lists no contract. Retours is a target, so it lists the one it accepts.
CREATE SERVICE [//exemple.fr/Ventes/Guichet] ON QUEUE dbo.[Réponses];
CREATE SERVICE [//exemple.fr/Ventes/Retours] ON QUEUE dbo.[Retours] ([//exemple.fr/Retours/Contrat]);
GRANT SEND ON SERVICE::[//exemple.fr/Ventes/Retours] TO [public];
GO

-- Without the catch-all route every service that Ventes calls needs a route of its own. What has none stays in the
-- transmission queue with status 9750.
-- Planted: //beispiel.de/Einkauf/Bestellungen in BERLIN is such a service. There is no route to it anywhere.
IF EXISTS (SELECT * FROM sys.routes WHERE name = N'AutoCreatedLocal')
    DROP ROUTE AutoCreatedLocal;

CREATE ROUTE [Vers la réception] WITH
    SERVICE_NAME = N'//exemple.fr/Commandes/Réception',
    ADDRESS = N'TCP://lyon:4022';

CREATE ROUTE [Vers le suivi] WITH
    SERVICE_NAME = N'//exemple.fr/Expédition/Suivi',
    ADDRESS = N'TCP://lyon:4022';

-- HUB is only the next hop. Where the message goes from there is written in HUB's own msdb.
CREATE ROUTE [Vers Berlin] WITH
    SERVICE_NAME = N'//beispiel.de/Lager/Größenprüfung',
    ADDRESS = N'TCP://hub:4022';

CREATE ROUTE [Facturation sur place] WITH
    SERVICE_NAME = N'//exemple.fr/Facturation/Factures',
    ADDRESS = N'LOCAL';

-- A mirrored route names the broker id: both partners carry the same one, for the copy is a copy of the database.
CREATE ROUTE [Comptabilité allemande] WITH
    SERVICE_NAME = N'//beispiel.de/Buchhaltung/Rechnungen',
    BROKER_INSTANCE = N'd4a85e17-0b6f-4c92-b3d8-6e51f09a2c05',
    ADDRESS = N'TCP://berlin:4022',
    MIRROR_ADDRESS = N'TCP://lyon:4022';

-- Planted: a near miss. The service in LYON is called //exemple.fr/Entrepôt/Inventaire. Service names are compared
-- letter by letter, so this route leads to a service that does not exist.
CREATE ROUTE [Vers l'inventaire] WITH
    SERVICE_NAME = N'//exemple.fr/entrepôt/Inventaire',
    ADDRESS = N'TCP://lyon:4022';

-- Planted: a one-way street. The message arrives, but LYON's Archives has no route back to Guichet, so the
-- acknowledgement never comes and the message is sent again and again.
CREATE ROUTE [Vers le dépôt] WITH
    SERVICE_NAME = N'//exemple.fr/Archives/Dépôt',
    ADDRESS = N'TCP://lyon:4022';

-- Planted: an expired route. The row stays in sys.routes, but no new message takes it.
CREATE ROUTE [Soldes de printemps] WITH
    SERVICE_NAME = N'//exemple.fr/Soldes/Prix',
    LIFETIME = 604800,  -- expires_at: 2024-03-31T22:00:00Z
    ADDRESS = N'TCP://lyon:4022';
GO

-- ---------------------------------------------------------------------------------------------------- Facturation
-- Reached from Ventes without any network. It keeps the catch-all, which is how its answers find Guichet next door.
USE Facturation;
GO
CREATE QUEUE dbo.[Factures];
CREATE SERVICE [//exemple.fr/Facturation/Factures] ON QUEUE dbo.[Factures] ([DEFAULT]);
GRANT SEND ON SERVICE::[//exemple.fr/Facturation/Factures] TO [public];
GO
