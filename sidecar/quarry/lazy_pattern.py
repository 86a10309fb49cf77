"""
Regular expressions that are compiled when they are first used.

A start imports a few hundred patterns and uses a few dozen before its first answer; compiling the rest would take a
tenth of the time until then.
"""

import re
from typing import AnyStr, Generic, cast

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn")


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """
    Return a stand-in for `re.compile(source, flags)` that compiles *source* when an attribute is first read.

    From then on, a method costs what the compiled pattern's own costs.

    Raises:
        re.error: When it is first used, not here: *source* is not a valid expression.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(source, flags))


class _LazyPattern(Generic[AnyStr]):
    def __init__(self, source: AnyStr, flags: int) -> None:
        self._source: AnyStr = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # what `copy` and `inspect` probe for
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
"""Where a sentence of a typed or pasted text ends; `documents/sentences.py` reads notes more closely."""
