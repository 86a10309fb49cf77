"""The intervals and limits of indexing, as one value that an engine is opened with."""

from msgspec import Struct


class WorkerTiming(Struct, frozen=True):
    """Intervals of the worker, in seconds."""

    head_start_s: float = 0.0  # of the first searches before the first job, which begins when one was by meaning
    retry_s: float = 1.0  # after a failure: a file that was being written is there by then; see `backoff_s`
    retry_max_s: float = 60.0  # a full disk or a lost drive is noticed within a minute of its return
    retry_asked_s: float = 1.0  # after a failure, where something was asked for since: it may work now
    deep_check_after_s: float = 30.0  # idle this long: hash every note, check rows, give room back
    deep_check_every_s: float = 6 * 3600.0
    first_poll_s: float = 0.25  # after the first job: the first answers come first, the first saved note later
    poll_every_s: float = 2.0  # how often the settings and ignore files, and the index file, are looked at

    def backoff_s(self, previous_s: float) -> float:
        """Seconds to wait before a job is tried again, where the wait before was *previous_s*, or 0."""
        return min(max(self.retry_s, 2 * previous_s), self.retry_max_s)


class PlanLimits(Struct, frozen=True):
    """From which size on processes prepare a plan, and how many notes are in hand at once."""

    many_notes: int = 200  # a process takes a third of a second to begin, in which a hundred notes are prepared here
    many_bytes: int = 4 * 1024 * 1024  # what 1,000 notes of a usual size hold
    many_stamps: int = 2_000  # reading and hashing alone is twenty times quicker
    many_texts: int = 256
    batch_notes: int = 64  # enough texts for one call of the encoder, few enough for pausing to feel immediate


class ProcessLimits(Struct, frozen=True):
    """Priority of child processes, and how long one may be silent."""

    niceness: int = 10
    alive_every_s: float = 1.0  # a process says so, whatever it is doing: one that is stopped or hangs does not
    silence_s: float = 120.0  # a process that starts behind everything else on the machine is late, not dead


class IndexingLimits(Struct, frozen=True):
    """Times and sizes that an engine keeps to."""

    head_start_s: float = 0.25
    """The first answer, and finding that nothing changed (.17 s in a vault of 17,000 notes), come before the model is
    loaded, which keeps the interpreter busy for 20 ms on end, .05 s in all."""
    model_wait_s: float = (
        5.0  # a model on disk is in before that; one that is being downloaded is not worth waiting for
    )
    timing: WorkerTiming = WorkerTiming()
    plan: PlanLimits = PlanLimits()
    process: ProcessLimits = ProcessLimits()
