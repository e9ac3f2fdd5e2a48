"""Every route of the product over addresses that are made of its own parts, as long as a server takes them."""

from __future__ import annotations

import os
import re

LENGTH = 16_000


def main() -> None:
    """Resolve them all."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.test")
    import django

    django.setup()
    from django.urls import Resolver404, get_resolver

    from tests.support.bounded_process import begin

    resolver = get_resolver()
    (api,) = [each for each in resolver.url_patterns if str(each.pattern) == "api/v1/"]
    routes = sorted({str(each.pattern) for each in api.url_patterns})
    assert len(routes) > 50
    for route in routes:
        first, *others = re.split(r"<[^>]+>", route)
        for parts in (others[:-1], others, [*others, *reversed(others)]):
            middle = "a".join(part for part in parts if part)
            address = f"/api/v1/{first}a" + (middle + "a") * (LENGTH // (len(middle) + 1))
            for tail in ("", "/", "\n", "/x"):
                begin(f"{route} {address[:100]!r} … {tail!r}")
                try:
                    resolver.resolve(address[:LENGTH] + tail)
                except Resolver404:
                    continue


if __name__ == "__main__":
    main()
