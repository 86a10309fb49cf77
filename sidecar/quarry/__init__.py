"""Search a folder of Markdown notes by word and by meaning, offline."""

from importlib.metadata import version

__version__ = version("quarry-search")
