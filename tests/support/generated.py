"""Documents with generated parts: between `<!-- generated: NAME -->` and `<!-- end -->` stands what a table says."""

import re
from collections.abc import Mapping

_PART = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(document: str, parts: Mapping[str, str]) -> str:
    """The document with its generated parts as they ought to be; KeyError for a part that nobody makes."""
    return _PART.sub(lambda found: f"{found[1]}{parts[found[2]]}{found[3]}", document)
