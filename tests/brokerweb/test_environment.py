"""The environment is read once, and what makes no sense is said in a sentence."""

import stat
from pathlib import Path

import pytest

from brokerweb.config.data_directory import generated_secret_key
from brokerweb.config.env import LOCAL_HOSTS, REPOSITORY, ConfigurationError, read_environment
from brokerweb.config.settings.base import channel_layer_settings, database_settings
from engine.core.vocabulary.limits import (
    FRAGMENT_BYTES_DEFAULT,
    FRAGMENT_BYTES_MAX,
    FRAGMENT_BYTES_MIN,
    HOSTED_EVENTS_KEPT,
    OBJECT_BYTES_KEPT,
)


def test_nothing_set_means_one_process_on_this_machine():
    environment = read_environment({})
    assert environment.data_directory == REPOSITORY / ".data"
    assert environment.allowed_hosts == LOCAL_HOSTS
    assert environment.celery_broker_url is None
    assert database_settings(environment)["ENGINE"] == "django.db.backends.sqlite3"
    assert channel_layer_settings(environment)["BACKEND"].endswith("LocalChannelLayer")


def test_an_empty_variable_is_one_that_is_not_set():
    assert read_environment({"DATABASE_URL": "", "BROKERWEB_DATA": "", "ALLOWED_HOSTS": ""}) == read_environment({})


def test_each_address_switches_its_part_to_a_real_server(tmp_path):
    environment = read_environment(
        {
            "BROKERWEB_DATA": str(tmp_path),
            "DATABASE_URL": "postgres://broker@db/brokerweb",
            "CHANNEL_REDIS_URL": "redis://cache/1",
            "CELERY_BROKER_URL": "redis://cache/0",
        }
    )
    assert environment.data_directory == tmp_path
    assert database_settings(environment)["ENGINE"] == "django.db.backends.postgresql"
    assert channel_layer_settings(environment)["BACKEND"] == "channels_redis.core.RedisChannelLayer"
    assert environment.celery_broker_url == "redis://cache/0"


@pytest.mark.parametrize("url", ["mysql://me:hushhush@db/x", "hushhush", "/srv/hushhush"])
def test_the_engines_stores_are_files_or_in_postgresql(url):
    assert read_environment({}).engine_store_url is None
    for scheme in ("postgres", "postgresql"):
        address = f"{scheme}://broker@db/stores"
        assert read_environment({"ENGINE_STORE_URL": address}).engine_store_url == address
    with pytest.raises(ConfigurationError, match="ENGINE_STORE_URL") as caught:
        read_environment({"ENGINE_STORE_URL": url})
    assert "hushhush" not in str(caught.value)


def test_lists_are_separated_by_commas_and_blanks_do_not_matter():
    environment = read_environment({"ALLOWED_HOSTS": " broker.example , 10.0.0.7,"})
    assert environment.allowed_hosts == ("broker.example", "10.0.0.7")


@pytest.mark.parametrize("text", ["0", "-5", "1.5", "soon", "٣"])
def test_a_lifetime_that_is_no_positive_number_is_refused_with_its_name(text):
    with pytest.raises(ConfigurationError, match="LOGIN_LINK_SECONDS"):
        read_environment({"LOGIN_LINK_SECONDS": text})


@pytest.mark.parametrize("size", [FRAGMENT_BYTES_MIN - 1, FRAGMENT_BYTES_MAX + 1])
def test_a_fragment_has_a_size_that_the_engine_allows(size):
    assert read_environment({}).fragment_bytes == FRAGMENT_BYTES_DEFAULT
    for allowed in (FRAGMENT_BYTES_MIN, FRAGMENT_BYTES_MAX):
        assert read_environment({"FRAGMENT_BYTES": str(allowed)}).fragment_bytes == allowed
    with pytest.raises(ConfigurationError, match="FRAGMENT_BYTES"):
        read_environment({"FRAGMENT_BYTES": str(size)})


def test_the_memory_for_conversations_at_rest_is_given_in_bytes():
    assert read_environment({}).object_bytes_kept == OBJECT_BYTES_KEPT
    assert read_environment({"OBJECT_BYTES_KEPT": "1280000"}).object_bytes_kept == 1_280_000
    with pytest.raises(ConfigurationError, match="OBJECT_BYTES_KEPT"):
        read_environment({"OBJECT_BYTES_KEPT": "0"})


def test_how_many_events_are_kept_is_a_number_above_nothing():
    assert read_environment({}).events_kept == HOSTED_EVENTS_KEPT
    assert read_environment({"EVENTS_KEPT": "5000000"}).events_kept == 5_000_000
    with pytest.raises(ConfigurationError, match="EVENTS_KEPT"):
        read_environment({"EVENTS_KEPT": "-1"})


def test_a_switch_that_is_neither_on_nor_off_is_refused():
    with pytest.raises(ConfigurationError, match="DEBUG"):
        read_environment({"DEBUG": "maybe"})


def test_the_generated_key_is_kept_and_is_readable_by_its_owner_only(tmp_path: Path):
    key = generated_secret_key(tmp_path)
    assert generated_secret_key(tmp_path) == key
    assert len(key) >= 50
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_modules_of_readers_are_separated_by_commas():
    assert read_environment({"READER_MODULES": "shop.readers, billing.readers"}).reader_modules == (
        "shop.readers",
        "billing.readers",
    )
    assert read_environment({}).reader_modules == ()


def test_metrics_are_told_to_this_machine_unless_a_token_is_asked_for():
    environment = read_environment({})
    assert (environment.metrics_port, environment.metrics_host, environment.metrics_token) == (None, "127.0.0.1", None)
    token = "0123456789abcdef"
    environment = read_environment({"METRICS_PORT": "9464", "METRICS_HOST": "0.0.0.0", "METRICS_TOKEN": token})
    assert (environment.metrics_port, environment.metrics_host) == (9464, "0.0.0.0")
    assert read_environment({"METRICS_HOST": "::1"}).metrics_host == "::1"
    for variables, said in (
        ({"METRICS_HOST": "0.0.0.0"}, "set METRICS_TOKEN"),
        ({"METRICS_HOST": "broker.example"}, "takes an address"),
        ({"METRICS_TOKEN": token[1:]}, "takes 16 or more"),
        ({"METRICS_PORT": "65536"}, "at most 65535"),
        ({"METRICS_PORT": "0"}, "above 0"),
    ):
        with pytest.raises(ConfigurationError, match=said) as caught:
            read_environment(variables)
        assert token[1:] not in str(caught.value)
