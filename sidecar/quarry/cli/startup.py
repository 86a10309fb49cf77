"""What a process sets up before it works: imports that cost less, no idle threads, one heap."""

import gc
import importlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType

_M_ARENA_MAX = -8  # of glibc's malloc.h


@contextmanager
def without_gc() -> Iterator[None]:
    """
    Disable the garbage collector while modules are imported inside.

    It would traverse all their objects again and again, and none is garbage: a sidecar's imports take 15 % less.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def prepare_for_engine() -> None:
    """Have what the engine and its server import cost less; to be called before either is imported."""
    limit_blas_threads()
    import_numpy_without_unused_parts()
    import_msgspec_without_typing_extensions()
    lazy_import("importlib.metadata")
    lazy_import("urllib.request")
    lazy_import("email.utils", formatdate=_http_date)


def limit_blas_threads() -> None:
    """
    Have numpy's BLAS start no threads, which spin idly for 50 ms of CPU time after its import, in every process.

    Nothing here is multiplied by BLAS, as its order of summation varies. A variable that the user has set is kept.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def import_numpy_without_unused_parts() -> None:
    """
    Import numpy without linear algebra, masked arrays and types for checkers: half of its 25 ms.

    It imports the first for four functions, and the second when `numpy.unique` asks whether an array is masked. Whoever
    asks for anything else of these modules has it.
    """
    if "numpy" in sys.modules:
        return
    skip_numpy_docstrings()
    with without_gc():
        _import_numpy_without_linalg()
        lazy_import("numpy.ma", is_masked=_is_masked)
        lazy_import("numpy.typing", NDArray=_AnyArray, __path__=[])


def skip_numpy_docstrings() -> None:
    """
    Have numpy set no docstrings of its C functions at its import: 6 of 45 ms, and half a megabyte.

    Where numpy keeps them elsewhere, this has no effect.
    """
    for name in ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars"):
        sys.modules.setdefault(name, ModuleType(name))


class _AnyArray:
    """Stands for `numpy.typing.NDArray` in annotations, which nothing here looks at while it runs."""

    def __class_getitem__(cls, _: object) -> type["_AnyArray"]:
        return cls


def _is_masked(array: object) -> bool:
    """See `numpy.ma.is_masked`."""
    import numpy as np

    return type(array) is not np.ndarray and np.ma.core.is_masked(array)


def _import_numpy_without_linalg() -> None:
    name = "numpy.linalg"

    def call(function: str, *args: object, **options: object) -> object:
        return getattr(importlib.import_module(name), function)(*args, **options)

    stub = ModuleType(name)
    stub.__spec__ = ModuleSpec(name, None)  # for a library that asks whether the module is there
    vars(stub).update({each: partial(call, each) for each in ("eigvals", "inv", "lstsq", "matrix_power")})
    sys.modules[name] = stub
    try:
        importlib.import_module("numpy")
    finally:
        del sys.modules[name]


def import_asyncio_without_ssl() -> None:
    """
    Import asyncio as where Python has no `ssl`: 5 of its 26 ms. Everything that a sidecar says stays on this machine.

    A later import of `ssl`, as by the download of a model, succeeds.
    """
    _import_without("asyncio", "ssl")


def import_msgspec_without_typing_extensions() -> None:
    """
    Import msgspec as where there is no `typing_extensions`: 3 to 6 of a sidecar's 180 ms of CPU time.

    What it takes from there, `typing` has as well since Python 3.11. Another module that imports it later has it.
    """
    with without_gc():
        _import_without("msgspec", "typing_extensions")


def _import_without(name: str, absent: str) -> None:
    """Import the module *name* as if there were no module *absent*, unless either is imported already."""
    if absent in sys.modules or name in sys.modules:
        return
    sys.modules[absent] = None  # type: ignore[assignment]  # so importing it raises `ImportError`
    try:
        importlib.import_module(name)
    finally:
        del sys.modules[absent]


def lazy_import(name: str, **known: object) -> None:
    """
    Put off the import of the module *name*, of a package, until one of its attributes is used that is not *known*.

    This is for modules that a dependency imports and hardly ever uses: websockets imports `importlib.metadata`, and
    with it `email`, `zipfile` and `csv`, for its unreleased versions, `urllib.request` for proxies, and `email.utils`
    for the date of each handshake.
    """
    if name in sys.modules:
        return
    stub = ModuleType(name)

    def load(attribute: str) -> object:
        if sys.modules.get(name) is stub:
            sys.modules.pop(name, None)
        return getattr(importlib.import_module(name), attribute)

    stub.__getattr__ = load  # type: ignore[method-assign]  # PEP 562
    vars(stub).update(known)
    sys.modules[name] = stub
    package, _, last = name.rpartition(".")
    setattr(importlib.import_module(package), last, stub)


def _http_date(*given: object, **options: object) -> object:
    """The present time as `email.utils.formatdate` writes it into an HTTP header; otherwise what that writes."""
    if given or options != {"usegmt": True}:
        import email.utils

        _ = email.utils.format_datetime  # puts the module in the place of its stand-in
        return email.utils.formatdate(*given, **options)  # type: ignore[arg-type]
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())  # in English, as nothing here sets a locale


def limit_malloc_arenas() -> None:
    """
    Have all threads allocate from one heap; to be called before any starts. It only has an effect with glibc.

    With one arena for each of ten threads, 15 to 20 of 155 MB were free in some of them and allocated anew in others.
    The interpreter's lock serialises most allocations anyway: no query took longer.
    """
    import ctypes  # here, as only a sidecar has many threads

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
