"""
How is a typed regular expression compiled?

By RE2, whose time is linear in the text whatever was typed: `(a+)+$` hangs Python's own engine for years. In return
there is no looking around (`(?=`) and no `\\1`.
"""

from functools import lru_cache
from typing import Any, Protocol

MEMORY_BYTES = 8 << 20  # for the automaton of one expression; `(a{999}){999}` is refused instead of built
COMPILED = 64  # kept; the one being typed is compiled anew with every key


class BadPattern(ValueError):
    """The expression cannot be used; says why and what to do, as a clause."""


class Pattern(Protocol):
    """A compiled expression."""

    def search(self, text: str) -> Any:
        """Something true where it matches anywhere in *text*."""
        ...


@lru_cache(maxsize=COMPILED)
def compile_pattern(pattern: str) -> Pattern:
    """
    *pattern* ready to search, letters in any case, `^` and `$` at the ends of every line.

    Raises:
        BadPattern: RE2 cannot read it, or there is no RE2 on this machine.
    """
    try:
        import re2  # type: ignore[import-untyped]  # here, so that a platform without it can go on
    except ImportError:
        raise BadPattern("this machine has no google-re2, which would read it; use words") from None
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True  # that it matches is enough, and comes quicker
    options.log_errors = False
    options.max_mem = MEMORY_BYTES
    try:
        re2.compile(pattern, options)  # by itself, so that no parenthesis of it closes one of ours
        compiled: Pattern = re2.compile("(?m)" + pattern, options)
    except re2.error as error:
        raise BadPattern(f"{_reason(error)}; see github.com/google/re2/wiki/Syntax") from error
    return compiled


def _reason(error: Exception) -> str:
    """What RE2 says, which it says in bytes."""
    said = error.args[0] if error.args else b""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
