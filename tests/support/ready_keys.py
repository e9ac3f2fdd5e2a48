"""RSA keys are made once in a process of the tests: a new one takes a tenth of a second of a processor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key


@contextmanager
def ready_keys() -> Iterator[None]:
    """Certificates that are made meanwhile all have different keys, the same as those of the test before."""
    numbers = count()
    with patch("engine.security.certificates.generate_private_key", lambda *size: _key(next(numbers), *size)):
        yield


@cache
def _key(number: int, public_exponent: int, bits: int) -> RSAPrivateKey:
    return generate_private_key(public_exponent, bits)
