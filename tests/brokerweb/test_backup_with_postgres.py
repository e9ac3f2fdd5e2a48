"""With databases of a server: stopped, dumped, and put back into new databases with a copy of the data folder."""

import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.brokerweb.backed_up_product import Traffic, check_goes_on, is_applied
from tests.support.postgres_server import PostgresServer
from tests.support.running import Client, Running
from tests.support.waiting import until


def dump_and_restore(server: PostgresServer, name: str, folder: Path) -> None:
    """As `docs/operations/backup.md` says: the new database is called NAME_restored."""
    address = server.url.removesuffix("postgres")
    subprocess.run(["pg_dump", "--format=custom", "--file", folder / name, address + name], check=True)
    make_database(server, f"{name}_restored")
    subprocess.run(["pg_restore", "--no-owner", "--dbname", f"{address}{name}_restored", folder / name], check=True)


def make_database(server: PostgresServer, name: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")


@pytest.mark.slow
def test_dumps_of_a_stopped_product_with_a_copy_of_its_folder_lose_and_double_nothing(
    tmp_path: Path, migrated_postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
):
    address = migrated_postgres.url.removesuffix("postgres")
    for name in ("dashboard", "stores"):
        make_database(migrated_postgres, name)
    monkeypatch.setenv("DATABASE_URL", f"{address}dashboard")
    monkeypatch.setenv("ENGINE_STORE_URL", f"{address}stores")
    data = tmp_path / "data"
    product = Running(data)
    link = product.start()
    try:
        with Client.logged_in(link) as browser:
            until(lambda: is_applied(browser), "all instances have their catalogs")
            traffic = Traffic(browser, link)
            with traffic.flowing():
                until(lambda: min(traffic.sent) > 20, "messages are under way")
    finally:
        product.stop()
    for name in ("dashboard", "stores"):
        dump_and_restore(migrated_postgres, name, tmp_path)
    shutil.copytree(data, tmp_path / "copy")
    monkeypatch.setenv("DATABASE_URL", f"{address}dashboard_restored")
    monkeypatch.setenv("ENGINE_STORE_URL", f"{address}stores_restored")
    check_goes_on(tmp_path / "copy", traffic, traffic.sent, traffic.sent)
