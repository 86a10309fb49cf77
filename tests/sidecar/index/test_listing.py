from builders import problems as known_problems

from quarry.conditions import MATCH_ALL, AllOf, AnyOf, HasPhrase, InFolder, InTask, MatchesPattern, Not
from quarry.index import NoteFilter
from quarry.messages import message
from quarry.options import Scope

UNREADABLE = message("reason.unreadable", detail="denied")


def test_browsing_lists_the_newest_notes_each_by_its_first_passage(index, put, in_time):
    put("other/d.md", "pears", seconds=9)
    for name, seconds in (("a", 1), ("c", 3), ("b", 3)):
        put(f"{name}.md", "apples", "pears", seconds=seconds)

    with index.reader() as reader:
        newest = reader.browse(Not(InFolder("other")), 2, deadline=in_time)
        everything = reader.browse(MATCH_ALL, 9, deadline=in_time)
        nothing = reader.browse(HasPhrase("plums"), 9, deadline=in_time)

    assert [(found.path, found.number, found.score) for found in newest.ranking] == [
        ("b.md", 0, 3000),
        ("c.md", 0, 3000),
    ]
    assert newest.total == 3
    assert [found.path for found in everything.ranking] == ["other/d.md", "b.md", "c.md", "a.md"]
    assert (nothing.ranking, nothing.total) == ((), 0)


def test_browsing_shows_the_passage_that_is_the_reason(index, put, in_time):
    put("a.md", "apples", "v1.2 pears", "- [ ] call\n- [x] write\nv1.3", "- [ ] call", "v9")

    def shown(condition):
        with index.reader() as reader:
            return reader.browse(condition, 9, deadline=in_time).ranking[0].number

    assert shown(InTask("todo")) == 2
    assert shown(MatchesPattern("v9")) == 4
    assert shown(AllOf((MatchesPattern("V\\d"), InTask("done", ("write",))))) == 2
    assert shown(AnyOf((MatchesPattern("plum"), MatchesPattern("pears")))) == 1
    assert shown(AllOf((Not(MatchesPattern("plum")), HasPhrase("pears")))) == 0


def test_chunks_of_admitted_notes_are_counted_up_to_a_limit(index, put, in_time):
    for number in range(6):
        put(f"{number % 2}/{number}.md", "apples", "pears", tags=("t",) if number else ())

    with index.reader() as reader:
        odd = reader.matching_notes(InFolder("1"), deadline=in_time)

        assert reader.count_chunks(None, 50) == 12
        assert reader.count_chunks(None, 5) == 5
        assert reader.count_chunks(odd, 50) == 6
        assert reader.count_chunks(odd, 2) == 2
        assert reader.count_chunks(reader.matching_notes(HasPhrase("plum"), deadline=in_time), 50) == 0


def test_a_list_pages_through_the_notes_that_pass_its_filter(index, put):
    put("a.md", "x", seconds=1, properties={"type": "Daily"}, tags=("t",))
    put("f/b.md", "x", seconds=2, properties={"type": ("daily", "log")})
    put("f/c.md", "x", seconds=3, tags=("t",), properties={"domain": "Web", "status": "draft"})

    def paths(limit=9, offset=0, **wanted):
        with index.reader() as reader:
            page = reader.notes(NoteFilter(**wanted), limit, offset)
        return [note.path for note in page.notes], page.total

    assert paths() == (["f/c.md", "f/b.md", "a.md"], 3)
    assert paths(1, 1) == (["f/b.md"], 3)
    assert paths(scope=Scope(folders=("f",))) == (["f/c.md", "f/b.md"], 2)
    assert paths(scope=Scope(tags=("t",), not_folders=("f",))) == (["a.md"], 1)
    assert paths(type="dáily") == (["f/b.md", "a.md"], 2)
    assert paths(domain="web") == paths(status="DRAFT") == paths(domain="web", status="draft") == (["f/c.md"], 1)
    assert paths(domain="web", type="daily") == ([], 0)
    assert paths(modified_from_ms=2000, modified_until_ms=3000) == (["f/b.md"], 1)
    assert paths(modified_from_ms=2**60) == ([], 0)
    assert paths(modified_until_ms=2**60)[1] == 3


def test_contents_are_known_by_their_hash(index, put):
    put("a.md", "apples")
    put("b.md", "pears")

    with index.reader() as reader:
        stamps = reader.stamps()
        found = reader.content_hashes(["b.md", "missing.md", 'odd "name".md'])

    assert found == {"b.md": stamps["b.md"].sha256}


# --- recorded by the indexer -----------------------------------------------------------------------


def test_problems_are_kept_by_path_until_they_are_over(index, put):
    index.record_problem("b.md", UNREADABLE, skipped=True)
    index.record_problem("a.md", message("reason.crash"), skipped=False)
    index.record_problem("a.md", message("reason.defect", detail="odder"), skipped=False)
    index.record_problem("bad\udcff.md", message("reason.name.encoding"), skipped=True)
    put("c.md", "x", problems=(message("reason.front-matter", line=3, text="x"), message("reason.no-text")))

    found = [(problem.path, problem.reason.code, problem.skipped) for problem in known_problems(index, 9)]

    assert found == [
        ("a.md", "reason.defect", False),
        ("b.md", "reason.unreadable", True),
        ("bad\\udcff.md", "reason.name.encoding", True),
        ("c.md", "reason.front-matter", False),
        ("c.md", "reason.no-text", False),
    ]
    assert index.recorded_problems(["a.md", "bad\udcff.md", "c.md"]) == ["a.md", "bad\udcff.md"]
    with index.reader() as reader:
        assert reader.problem_count() == 5
        codes = [problem.reason.code for problem in reader.problems_of("c.md")]
    assert codes == ["reason.front-matter", "reason.no-text"]
    assert len(known_problems(index, 2)) == 2


def test_an_indexed_or_removed_file_has_no_problem_any_more(index, put):
    index.record_problem("a.md", UNREADABLE, skipped=True)
    index.record_problem("b.md", UNREADABLE, skipped=True)
    index.record_problem("c.md", UNREADABLE, skipped=True)

    put("a.md", "x")
    index.remove("b.md")
    index.clear_problem("c.md")

    assert len(known_problems(index, 99)) == 0


def test_a_new_list_of_skipped_files_replaces_the_old_one(index):
    index.record_problem("a.md", UNREADABLE, skipped=True)
    index.record_problem("b.md", UNREADABLE, skipped=False)

    index.replace_skipped({"c.md": UNREADABLE})

    assert [problem.path for problem in known_problems(index, 9)] == ["b.md", "c.md"]
