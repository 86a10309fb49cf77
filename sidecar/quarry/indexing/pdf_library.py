"""Is the library installed that reads PDF files? Asked at every start, so nothing else is imported for it."""

from importlib.util import find_spec

LIBRARY = "pypdf"
EXTRA = "quarry-search[pdf]"
NO_PDF_LIBRARY = (
    f'files.pdf is set, but what reads PDF files is not installed; install it with `uv tool install --force "{EXTRA}"` '
    f'or `pip install "{EXTRA}"`, and restart the search engine'
)


def can_read_pdfs() -> bool:
    """Whether the library that reads PDF files is installed."""
    return find_spec(LIBRARY) is not None
