/*  HUB passes on.

    A forwarder has no services. It keeps nothing but what is under way, acknowledges nothing, and may be switched off
    at any time: the sender still has every message until the final destination acknowledges it.
*/
:CONNECT HUB
-- host: hub, hub.exemple.fr, hub.beispiel.de

-- Without MESSAGE_FORWARDING everything that is not for HUB itself would be dropped with status 9792.
CREATE ENDPOINT Relais
    STATE = STARTED
    AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (
        AUTHENTICATION = WINDOWS,
        ENCRYPTION = SUPPORTED,
        MESSAGE_FORWARDING = ENABLED,
        MESSAGE_FORWARD_SIZE = 10);
GO

-- What arrives is routed by msdb, and so is what is passed on.
USE msdb;
GO
IF EXISTS (SELECT * FROM sys.routes WHERE name = N'AutoCreatedLocal')
    DROP ROUTE AutoCreatedLocal;
CREATE ROUTE [Weiter nach Berlin] WITH
    SERVICE_NAME = N'//beispiel.de/Lager/Größenprüfung',
    ADDRESS = N'TCP://berlin:4022';
CREATE ROUTE [Suite vers Paris] WITH
    SERVICE_NAME = N'//exemple.fr/Ventes/Guichet',
    ADDRESS = N'TCP://paris:4022';
GO
