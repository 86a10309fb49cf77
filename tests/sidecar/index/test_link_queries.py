from quarry.index import link_queries, note_rows, notes
from quarry.types import Link


def test_links_are_followed_both_ways(put, index):
    put("Hub.md", "x", links=(Link("wiki", "leaf", "H", "L"), Link("embed", "Missing", None, None)))
    put("a/Leaf.md", "x", links=(Link("markdown", "../Hub.md", None, None), Link("wiki", "", "self", None)))
    put("b/Leaf.md", "x")

    with index.reader() as reader:
        forward = [(found.link.target, found.path) for found in reader.links_from("Hub.md")]
        own = [(found.link.target, found.path) for found in reader.links_from("a/Leaf.md")]
        back = {
            path: [found.source for found in reader.links_to(path)] for path in ("Hub.md", "a/Leaf.md", "b/Leaf.md")
        }

    assert forward == [("leaf", "a/Leaf.md"), ("Missing", None)]
    assert own == [("../Hub.md", "Hub.md"), ("", "a/Leaf.md")]
    assert back == {"Hub.md": ["a/Leaf.md"], "a/Leaf.md": ["Hub.md"], "b/Leaf.md": []}


def test_a_link_is_resolved_anew_when_notes_come_and_go(put, index):
    put("Hub.md", "x", links=(Link("wiki", "Leaf", None, None),))

    def target():
        with index.reader() as reader:
            return reader.links_from("Hub.md")[0].path

    assert target() is None
    put("deep/er/Leaf.md", "x")
    assert target() == "deep/er/Leaf.md"
    put("Leaf.md", "x")
    assert target() == "Leaf.md"
    index.remove("Leaf.md")
    assert target() == "deep/er/Leaf.md"


def test_names_that_share_a_number_are_told_apart(put, index, monkeypatch):
    for module in (notes, note_rows, link_queries):
        monkeypatch.setattr(module, "target_number", lambda key: 7)
    put("Hub.md", "x", links=(Link("wiki", "Leaf", None, None), Link("wiki", "Other", None, None)))
    put("One.md", "x", links=(Link("wiki", "Other", None, None),))
    put("Leaf.md", "x")

    with index.reader() as reader:
        assert [found.source for found in reader.links_to("Leaf.md")] == ["Hub.md"]
        assert [found.path for found in reader.links_from("Hub.md")] == ["Leaf.md", None]
