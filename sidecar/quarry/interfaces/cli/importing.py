"""Imports that cost less: without the garbage collector, without what nobody asks for, without idle threads."""

import gc
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def without_gc() -> Iterator[None]:
    """
    Keep the collector away while modules are imported inside: it would look through all that they make again and
    again. A sidecar's take 15 % less, and none is garbage.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def limit_blas_threads() -> None:
    """
    Have numpy's BLAS begin no threads, which turn idly for 50 ms of CPU time after its import, in every process.

    Nothing here is multiplied by BLAS: the order in which it adds is its own affair. Who sets the variable is obeyed.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def lazy_import(name: str) -> None:
    """
    Have the module *name*, of a package, imported when something in it is first asked for.

    For what others import and ask for nothing: websockets imports `importlib.metadata`, with it `email`, `zipfile` and
    `csv`, for versions of itself that were not released, and `urllib.request` for proxies, of which we use none.
    """
    if name in sys.modules:
        return
    stub = ModuleType(name)

    def ask(attribute: str) -> Any:
        if sys.modules.get(name) is stub:
            sys.modules.pop(name, None)
        return getattr(importlib.import_module(name), attribute)

    stub.__getattr__ = ask  # type: ignore[method-assign]  # PEP 562
    sys.modules[name] = stub
    package, _, last = name.rpartition(".")
    setattr(importlib.import_module(package), last, stub)
