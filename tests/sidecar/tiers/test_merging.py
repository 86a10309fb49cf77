"""Answers of several tiers as one: order, duplicates, pages, and what is said about them."""

import msgspec
import pytest

from quarry import protocol as wire
from quarry.tiers.merging import TierHits, merged

FRESH = {"state": "live", "done": 1, "total": 1, "epoch": 1, "fallback": None}


def hit(path, confidence, **more):
    passage = {
        "headingPath": [],
        "snippet": "x" * 40,
        "marks": [],
        "start": 0,
        "line": 0,
        "matchStart": 0,
        "matchEnd": 0,
        "anchor": None,
        "tokens": 10,
        "text": None,
        "truncated": False,
        "breakdown": None,
    }
    fields = {"path": path, "kind": "note", "title": path, "titleMarks": [], "score": 1.0, "confidence": confidence}
    fields |= {"matchedBy": "both", "modifiedMs": 0, "type": None, "domain": None, "project": None, "tags": []}
    return (
        fields | {"passages": [passage], "furtherPassages": 0, "signals": None, "maps": [], "missingWords": []} | more
    )


def tier(name, weight, *hits, digests=None, **more):
    fields = {
        "hits": list(hits),
        "listed": False,
        "total": len(hits),
        "reachable": len(hits),
        "sort": "relevance",
        "clauses": [],
        "understood": {"code": "understood.all", "args": {}},
        "corrections": [],
        "unknownWords": [],
        "relaxed": None,
        "unmet": None,
        "confidence": hits[0]["confidence"] if hits else 0.0,
        "weakness": None,
        "extract": None,
        "isQuestion": False,
        "retrievers": ["keyword"],
        "missing": [],
        "tokens": 0,
        "truncated": False,
        "index": FRESH,
        "digests": digests or [[f"{name}/{each['path']}"] for each in hits],
    }
    kind = "home" if name == "home" else "agent" if name == "agent" else "team" if name == "team" else "vault"
    origin = wire.Origin(kind=kind, name=name, path=f"/{name}")
    return TierHits(origin, weight, msgspec.convert(fields | more, wire.TierAnswer))


def found(*answers, **params):
    result = merged(answers, [], wire.TierSearchParams(query="q", **params))
    return [f"{one.origin.name}/{one.path}" for one in result.hits]


def test_hits_are_ordered_by_weight_times_confidence():
    home = tier("home", 1.0, hit("a", 0.9), hit("b", 0.3))
    vault = tier("v", 0.5, hit("c", 0.98), hit("d", 0.5))

    assert found(home, vault) == ["home/a", "v/c", "home/b", "v/d"]


def test_a_tiers_own_order_is_kept_where_its_confidences_disagree():
    home = tier("home", 1.0, hit("first", 0.4), hit("second", 0.8))

    assert found(home, tier("v", 1.0, hit("c", 0.6))) == ["v/c", "home/first", "home/second"]


def test_among_equals_the_highest_tier_comes_first():
    assert found(tier("home", 1.0, hit("a", 0.5)), tier("agent", 1.0, hit("b", 0.5))) == ["home/a", "agent/b"]


def test_the_pattern_of_an_agent_replaces_the_same_one_of_the_team():
    agent = tier("agent", 1.0, hit("Mine", 0.2), digests=[["text"]])
    team = tier("team", 0.6, hit("Theirs", 0.9), hit("Other", 0.1), digests=[["note", "text"], ["other"]])

    assert found(agent, team) == ["agent/Mine", "team/Other"]


def test_equal_texts_of_one_tier_are_both_hits():
    assert found(tier("v", 1.0, hit("a", 0.5), hit("b", 0.4), digests=[["same"], ["same"]])) == ["v/a", "v/b"]


def test_a_tier_that_relaxed_the_query_is_left_out_where_another_did_not_have_to():
    relaxed = {"step": "meaning", "messages": []}
    home = tier("home", 1.0, hit("near", 0.9), relaxed=relaxed)

    assert found(home, tier("v", 0.5, hit("exact", 0.1))) == ["v/exact"]
    assert found(home, tier("v", 0.5, hit("far", 0.1), relaxed=relaxed)) == ["home/near", "v/far"]
    assert merged([home], [], wire.TierSearchParams(query="q")).relaxed is not None


@pytest.mark.parametrize(("is_beside", "expected"), [(False, ["v/backup"]), (True, ["home/tea", "v/backup"])])
def test_a_tier_that_replaced_a_word_that_another_has_is_left_out(is_beside, expected):
    correction = {"typed": "duplicates", "used": "delicate", "isBeside": is_beside}
    home = tier("home", 1.0, hit("tea", 0.9), corrections=[correction])

    assert found(home, tier("v", 0.5, hit("backup", 0.3))) == expected
    assert found(home, tier("v", 0.5, hit("backup", 0.3), unknownWords=["duplicates"])) == ["home/tea", "v/backup"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("modified", ["v/b", "home/A", "home/c"]), ("name", ["home/A", "v/b", "home/c"])],
)
def test_another_order_goes_through_all_tiers(sort, expected):
    home = [hit("A", 0.1, modifiedMs=2), hit("c", 0.9, modifiedMs=1)]

    assert (
        found(tier("home", 1.0, *home, sort=sort), tier("v", 0.5, hit("b", 0.5, modifiedMs=3), sort=sort)) == expected
    )


def test_notes_that_are_only_listed_are_the_newest_of_all():
    home = tier("home", 1.0, hit("a", 0, modifiedMs=1), listed=True)

    assert found(home, tier("v", 0.5, hit("b", 0, modifiedMs=2), listed=True)) == ["v/b", "home/a"]


def test_pages_form_one_list():
    home = tier("home", 1.0, *(hit(f"h{number}", 0.9 - number / 10) for number in range(3)))
    vault = tier("v", 1.0, *(hit(f"v{number}", 0.85 - number / 10) for number in range(3)))
    whole = found(home, vault, limit=6)

    pages = [found(home, vault, limit=2, offset=offset) for offset in (0, 3)]

    assert len(whole) == 6
    assert pages[0][:2] == whole[:2]
    assert pages[1][:2] == whole[3:5]


@pytest.mark.parametrize("sort", ["relevance", "modified", "name"])
@pytest.mark.parametrize("weight", [0.5, 2.0])
def test_no_page_repeats_or_loses_a_hit_where_a_higher_tier_has_a_copy_further_down(sort, weight):
    def answers(end):
        home = [hit(f"n{number:02}", 0.9 - number / 100, modifiedMs=100 - number) for number in range(20)]
        vault = [hit(f"m{number:02}", 0.95 - number / 100, modifiedMs=130 - number) for number in range(20)]
        own = [[f"h{number}"] for number in range(20)]
        copies = [[f"h{19 - number}" if number % 3 == 0 else f"v{number}"] for number in range(20)]
        return (
            tier("home", 1.0, *home[:end], sort=sort, digests=own[:end]),
            tier("v", weight, *vault[:end], sort=sort, digests=copies[:end]),
        )

    whole = merged(answers(20), [], wire.TierSearchParams(query="q", limit=100)).hits
    pages = [found(*answers(end), limit=4, offset=end - 4) for end in range(4, 21, 4)]
    listed = [each for page in pages for each in page[:4]]

    assert len(whole) == 33
    assert len(set(listed)) == len(listed) == 20
    same = {f"v/m{number:02}": f"home/n{19 - number:02}" for number in range(0, 20, 3)}
    expected = [f"{one.origin.name}/{one.path}" for one in whole[:20]]
    assert [same.get(one, one) for one in listed] == expected


def test_an_answer_without_digests_for_its_hits_is_not_taken():
    with pytest.raises(msgspec.ValidationError, match="one for each hit"):
        tier("v", 0.5, hit("a", 0.9), digests=[["one"], ["two"]])


def test_what_is_hidden_hides_nothing():
    home = tier("home", 1.0, hit("a", 0.9), digests=[["text"]])
    vault = tier("v", 0.5, hit("b", 0.9), digests=[["text", "note"]])
    last = tier("w", 0.5, hit("c", 0.9), digests=[["other text", "note"]])

    assert found(home, vault, last) == ["home/a", "w/c"]


def test_the_budget_is_for_all_tiers_together():
    home = tier("home", 1.0, *(hit(f"h{number}", 0.9) for number in range(6)))

    result = merged([home], [], wire.TierSearchParams(query="q", max_tokens=50))

    assert (len(result.hits), result.tokens, result.truncated) == (5, 50, True)


def test_a_word_is_unknown_if_no_tier_with_hits_has_it():
    home = tier("home", 1.0, hit("a", 0.5), unknownWords=["quern", "loft"])
    vault = tier("v", 0.5, hit("b", 0.5), unknownWords=["loft"])

    result = merged([home, vault], [], wire.TierSearchParams(query="q"))

    assert result.unknown_words == ["loft"]
    assert (result.total, result.reachable, result.confidence) == (2, 2, 0.5)


def test_nothing_found_is_an_answer():
    result = merged([tier("home", 1.0), tier("v", 0.5)], [], wire.TierSearchParams(query="q"))

    assert (result.hits, result.total, result.reachable, result.confidence) == ([], 0, 0, 0.0)
