"""
How does the vault differ from its index, as far as a listing can tell? Most starts end here, as nothing does.

What carries a difference out (`indexer.py`) is imported when there is one.
"""

from collections.abc import Mapping

from msgspec import Struct

from quarry.index import Index
from quarry.indexing.disk_state import DiskState
from quarry.indexing.reconcile import Comparison, compare
from quarry.types import FileStamp
from quarry.vault.scan import Scan

MANY_PROBLEMS = 10_000  # compared with what a scan skipped; with more, the record is written anew


class VaultDiff(Struct, frozen=True):
    """A vault beside its index, as of one walk."""

    scan: Scan
    known: Mapping[str, FileStamp]  # what the index holds
    comparison: Comparison

    @property
    def is_empty(self) -> bool:
        """Whether a listing tells no difference."""
        return not (self.comparison.new or self.comparison.touched or self.comparison.gone)


def diff_vault(survey: DiskState, index: Index, *, with_drawings: bool = False) -> VaultDiff:
    """
    Walk over the vault, compare it with *index*, and put on record there which files were skipped.

    Args:
        with_drawings: Whether files that were found to be drawings before are looked at as well.

    Raises:
        VaultMissing: The vault folder is not there.
    """
    scan = survey.everything()
    with index.reader() as reader:
        known = reader.stamps()
    record_skipped(scan, index)
    drawings = set() if with_drawings else survey.unchanged_drawings(scan) - known.keys()
    files = {path: seen for path, seen in scan.files.items() if path not in drawings} if drawings else scan.files
    return VaultDiff(scan, known, compare(files, known, scan.may_still_exist))


def record_skipped(scan: Scan, index: Index) -> None:
    """Make the record of skipped files in *index* that of *scan*; where it is already, nothing is written."""
    with index.reader() as reader:
        recorded = {problem.path: problem.reason for problem in reader.problems(MANY_PROBLEMS) if problem.skipped}
    if recorded != scan.skipped:
        index.replace_skipped(scan.skipped)
