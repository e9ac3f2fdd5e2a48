"""A trainee's sandbox at the addresses of estates, as a browser asks it."""

ORDERS = {
    "instance": "PARIS",
    "database": "Ventes",
    "service": "//exemple.fr/Ventes/Guichet",
    "to_service": "//exemple.fr/Commandes/Réception",
}
ROUTE = (
    "CREATE ROUTE [Vers Lyon] WITH SERVICE_NAME = N'//exemple.fr/Commandes/Réception', ADDRESS = N'TCP://lyon:4022';"
)
DATABASE = "instances/PARIS/databases/Ventes"


class Private:
    """Somebody's browser at the addresses of a sandbox."""

    def __init__(self, run, client=None):
        self.run, self.client, self.name = run, client or run.client, run.now["estate"]

    def seen_by(self, client):
        return Private(self.run, client)

    def ask(self, path="", method="GET", body=None, status=200, **headers):
        answer = self.client.ask(method, f"/estates/{self.name}{path and '/' + path}", body, **headers)
        assert answer.status_code == status, (answer.status_code, answer.content)
        return answer.json()

    def post(self, path, body, status=200):
        return self.ask(path, "POST", body, status)

    def database(self, instance, database):
        (found,) = [each for each in self.ask()["instances"] if each["name"] == instance]
        (found,) = [each for each in found["databases"] if each["name"] == database]
        return found
