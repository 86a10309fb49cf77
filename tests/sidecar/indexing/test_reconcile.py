"""The plan that makes the index equal the vault."""

from hypothesis import given
from hypothesis import strategies as st

from quarry.indexing.reconcile import (
    MASS_REMOVAL_FLOOR,
    Plan,
    compare,
    is_mass_removal,
    plan,
    with_everything,
    with_silent_changes,
)
from quarry.types import FileSeen, FileStamp


def seen(content: bytes, mtime_ns: int = 1) -> FileSeen:
    return FileSeen(len(content), mtime_ns)


def stamp(content: bytes, mtime_ns: int = 1) -> FileStamp:
    return FileStamp(len(content), mtime_ns, content)  # the content stands for its own hash


def test_a_file_with_the_same_size_and_time_is_not_looked_at():
    comparison = compare({"a.md": seen(b"x")}, {"a.md": stamp(b"x")})

    assert comparison.same == ("a.md",)
    assert plan(comparison, {}, {"a.md": stamp(b"x")}) == Plan()


def test_a_touched_file_with_the_same_bytes_is_only_stamped_anew():
    stamps = {"a.md": stamp(b"x", mtime_ns=1)}
    work = plan(compare({"a.md": seen(b"x", mtime_ns=2)}, stamps), {"a.md": stamp(b"x", mtime_ns=2)}, stamps)

    assert work.restamp == ("a.md",)
    assert work.upsert == ()


def test_the_bytes_of_a_gone_note_under_a_new_path_are_a_rename():
    stamps = {"old.md": stamp(b"x")}
    work = plan(compare({"new.md": seen(b"x")}, stamps), {"new.md": stamp(b"x")}, stamps)

    assert work.rename == (("old.md", "new.md"),)
    assert work.upsert == ()
    assert work.remove == ()


def test_a_copy_of_a_note_that_is_still_there_is_new():
    stamps = {"a.md": stamp(b"x")}
    work = plan(compare({"a.md": seen(b"x"), "b.md": seen(b"x")}, stamps), {"b.md": stamp(b"x")}, stamps)

    assert work.upsert == ("b.md",)
    assert work.rename == ()


def test_a_file_that_could_not_be_read_is_left_as_it_is():
    stamps = {"a.md": stamp(b"x", mtime_ns=1)}
    work = plan(compare({"a.md": seen(b"xy", mtime_ns=2)}, stamps), {}, stamps)

    assert work == Plan()


def test_new_files_need_not_be_read_when_nothing_is_gone():
    work = plan(compare({"a.md": seen(b"x")}, {}), {}, {})

    assert work == Plan(upsert=("a.md",))


def test_a_change_that_kept_size_and_time_is_found_by_its_bytes():
    stamps = {"a.md": stamp(b"x")}
    comparison = compare({"a.md": seen(b"y")}, stamps)
    work = with_silent_changes(Plan(), comparison, {"a.md": stamp(b"y")}, stamps)

    assert work == Plan(upsert=("a.md",))


def test_other_rules_of_reading_touch_every_note():
    stamps = {"a.md": stamp(b"x"), "b.md": stamp(b"x", mtime_ns=1)}
    comparison = compare({"a.md": seen(b"x"), "b.md": seen(b"x", mtime_ns=2)}, stamps)
    work = with_everything(plan(comparison, {"b.md": stamp(b"x", mtime_ns=2)}, stamps), comparison)

    assert work == Plan(upsert=("a.md", "b.md"))


contents = st.dictionaries(st.sampled_from([f"{n}.md" for n in range(8)]), st.sampled_from([b"a", b"b", b"cc"]))


@given(before=contents, after=contents)
def test_carrying_out_the_plan_makes_the_index_equal_the_vault(before: dict[str, bytes], after: dict[str, bytes]):
    stamps = {path: stamp(content, mtime_ns=1) for path, content in before.items()}
    disk = {path: seen(content, mtime_ns=2) for path, content in after.items()}

    read = {path: stamp(content, mtime_ns=2) for path, content in after.items()}
    work = plan(compare(disk, stamps), read, stamps)

    result = dict(before)
    moved = {new: result.pop(old) for old, new in work.rename}
    for path in work.remove:
        del result[path]
    result |= moved | {path: after[path] for path in work.upsert}
    assert result == after
    assert all(before[path] == after[path] for path in work.restamp)


def test_losing_more_than_half_of_many_notes_is_a_mass_removal():
    assert is_mass_removal(removed=51, indexed=100)
    assert not is_mass_removal(removed=50, indexed=100)
    assert not is_mass_removal(removed=5, indexed=MASS_REMOVAL_FLOOR - 1)
