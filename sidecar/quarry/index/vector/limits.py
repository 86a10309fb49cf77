"""How much vector search keeps in memory, and from how many rows on it compares only some of them exactly."""

from msgspec import Struct


class VectorLimits(Struct, frozen=True):
    """The limits of one index's vector search; each default carries the measurement that it comes from."""

    # All of 1.3 million chunks. Beyond it SQLite compares the stored rows, which takes ten times as long.
    memory_bytes: int = 384 * 1024 * 1024
    # 200,000 rows are compared one by one in 3 ms. At 150,000 binary codes take longer: what they propose is scattered.
    exact_rows: int = 200_000
    # Candidates that binary codes propose: .98 of the exact top ten or more, see tests/retrieval/recall.py.
    shortlist: int = 15_000
    # Rows compared between two looks at the deadline, in 1 ms.
    rows_per_check: int = 65_536
    # A matrix is made with room for a sixteenth more rows, and for at least so many.
    min_spare_rows: int = 1024
    # Changed notes that are read one by one. For more of them, reading everything is quicker.
    refreshed_notes: int = 500
    # Rows read at a time: 1 MB, and no second copy of everything. With 16,384 it takes a sixth longer.
    rows_per_read: int = 4_096


DEFAULT_LIMITS = VectorLimits()
