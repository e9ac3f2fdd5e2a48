"""One test for many values: it tries them all and lists those that failed.

`pytest.mark.parametrize` makes a test of each value. That is right for a few cases with fixtures of their own. For
hundreds of seeds or catalogue entries it costs more than what is tested.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

SHOWN_MAX = 20
"""So many failures are shown with their tracebacks."""


def for_each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: calls a test, or awaits it, once for each value, as `parametrize` does, within one test.

    Args:
        names: The argument that gets a value, or several, separated by commas or as a tuple.
        values: The values; tuples where there are several arguments.

    All values share the fixtures of the test. Decorators may be stacked.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(values)
    assert cases, "a test of no values cannot fail"

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(test)

        def given_of(case: Any) -> dict[str, Any]:
            return dict(zip(arguments, case if len(arguments) > 1 else (case,), strict=True))

        @contextmanager
        def collecting(given: dict[str, Any], failures: list[BaseException]) -> Iterator[None]:
            try:
                yield
            except pytest.skip.Exception:
                # A skip for one value does not hide that another one failed.
                judge(failures)
                raise
            except (Exception, pytest.fail.Exception) as failure:
                failure.add_note(f"with {', '.join(f'{name}={value!r}' for name, value in given.items())}")
                failures.append(failure)

        def judge(failures: list[BaseException]) -> None:
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} failed", failures[:SHOWN_MAX])

        def plain(*positional: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            for given in map(given_of, cases):
                with collecting(given, failures):
                    test(*positional, **fixtures, **given)
            judge(failures)

        async def awaited(*positional: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            for given in map(given_of, cases):
                with collecting(given, failures):
                    await test(*positional, **fixtures, **given)
            judge(failures)

        wrapper = functools.wraps(test)(awaited if inspect.iscoroutinefunction(test) else plain)
        del wrapper.__wrapped__
        kept = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        wrapper.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return wrapper

    return decorate
