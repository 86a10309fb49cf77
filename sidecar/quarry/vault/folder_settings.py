"""What changes in a vault's settings when a folder is left out of the index, or taken in again?"""

from collections.abc import Sequence

from quarry.settings import Settings
from quarry.vault.rules import folder_prefix


def folder_changes(settings: Settings, exclude: Sequence[str], include: Sequence[str]) -> dict[str, object]:
    """
    The values of `exclude_folders` and `include_folders` that leave out *exclude* and take in *include*.

    A folder is taken in by removing every entry that leaves it out, which may be that of a folder above it; where only
    some folders are indexed, it becomes one of them. Entries that need not change stay as they are written.
    """
    excluded, included = settings.exclude_folders, settings.include_folders
    for folder in include:
        excluded = tuple(entry for entry in excluded if not _holds(entry, folder))
        if included and not any(_holds(entry, folder) for entry in included):
            included = (*included, folder)
    for folder in exclude:
        if not any(_holds(entry, folder) for entry in excluded):
            excluded = (*excluded, folder)
    wanted = {"exclude_folders": excluded, "include_folders": included}
    return {name: value for name, value in wanted.items() if value != getattr(settings, name)}


def _holds(entry: str, folder: str) -> bool:
    """Whether *folder* is the folder *entry*, or lies in it."""
    return folder_prefix(folder).startswith(folder_prefix(entry))
