"""The like of a note, of a passage of it, of a text."""

import pytest
from builders import Vault, settle

from quarry.engine import Engine
from quarry.errors import BadRequest, Cancelled, NoteNotFound
from quarry.options import Scope
from quarry.search import Source

EVERYWHERE = Scope()


def like(engine: Engine, limit: int = 10, scope: Scope = EVERYWHERE, **source: object) -> list[str]:
    return [note.path for note in engine.related(Source(**source), scope, limit, 120).notes]  # type: ignore[arg-type]


@pytest.fixture
def engine(vault: Vault, open_engine):
    vault.write_all(
        {
            "Glue.md": "# Glue\nhide glue holds veneer and lets go of it in steam, see [[Steam]]\n"
            "\n## Cooking\n" + "simmer it gently in a double boiler with water and never let it boil " * 3,
            "Veneer.md": "# Veneer\nveneer is laid with hide glue",
            "Steam.md": "# Steam\nsteam opens a joint of hide glue",
            "Soup/Stock.md": "# Stock\nsimmer the bones gently in water and never let it boil #soup",
            "Soup/Bread.md": "# Bread\nflour and salt, and see [[Glue]]",
        }
    )
    return open_engine()


def test_notes_that_say_the_like_come_first_and_the_note_itself_never(engine: Engine):
    found = like(engine, path="Glue.md")

    assert set(found[:3]) == {"Veneer.md", "Steam.md", "Soup/Stock.md"}
    assert "Glue.md" not in found


def test_notes_that_link_either_way_are_marked(engine: Engine):
    linked = {note.path: note.linked for note in engine.related(Source(path="Glue.md"), EVERYWHERE, 10, 120).notes}

    assert linked == {"Veneer.md": False, "Steam.md": True, "Soup/Stock.md": False, "Soup/Bread.md": True}


def test_of_a_line_the_passage_there_is_what_counts(engine: Engine):
    line = next(
        at for at, text in enumerate((engine.root / "Glue.md").read_text("utf-8").splitlines()) if "simmer" in text
    )

    assert like(engine, path="Glue.md", line=line)[0] == "Soup/Stock.md"
    assert like(engine, path="Glue.md", line=0)[0] in ("Veneer.md", "Steam.md")
    assert like(engine, path="Glue.md", line=100_000)[0] == "Soup/Stock.md"


@pytest.mark.parametrize("path", [None, "New.md"], ids=["from anywhere", "of a note that is not indexed yet"])
def test_a_text_has_its_like_and_no_links(engine: Engine, path: str | None):
    source = Source(path=path, text="bones simmer in water, never to boil")
    found = engine.related(source, EVERYWHERE, 10, 120).notes

    assert found[0].path == "Soup/Stock.md"
    assert not any(note.linked for note in found)


def test_the_note_that_a_text_stands_in_is_left_out_and_its_links_are_marked(engine: Engine):
    text = "hide glue holds veneer and lets go of it in steam"
    found = engine.related(Source(path="Glue.md", text=text), EVERYWHERE, 10, 120).notes

    assert "Glue.md" not in {note.path for note in found}
    assert {note.path for note in found if note.linked} == {"Steam.md", "Soup/Bread.md"}
    assert found[0].path in ("Veneer.md", "Steam.md")


def test_filters_hold_and_the_limit_does(engine: Engine):
    assert set(like(engine, path="Glue.md", scope=Scope(folders=("Soup",)))) == {"Soup/Stock.md", "Soup/Bread.md"}
    assert like(engine, path="Glue.md", scope=Scope(tags=("soup",))) == ["Soup/Stock.md"]
    assert "Soup/Stock.md" not in like(engine, path="Glue.md", scope=Scope(not_folders=("Soup",)))
    assert like(engine, limit=2, path="Glue.md") == like(engine, path="Glue.md")[:2]


def test_each_is_shown_by_its_passage_that_is_most_alike(engine: Engine):
    [note] = [n for n in engine.related(Source(path="Soup/Stock.md"), EVERYWHERE, 10, 80).notes if n.path == "Glue.md"]

    assert note.chunk.chunk.heading_path == ("Glue", "Cooking")
    assert note.chunk.text[note.snippet.start : note.snippet.end] == note.snippet.text
    assert len(note.snippet.text) <= 80


def test_scores_fall_from_one_to_nothing_at_the_least(engine: Engine):
    scores = [note.score for note in engine.related(Source(path="Glue.md"), EVERYWHERE, 10, 120).notes]

    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize("source", [Source(), Source(text=" \n"), Source(text="")])
def test_of_nothing_there_is_no_like(engine: Engine, source: Source):
    with pytest.raises(BadRequest, match="a note or a text"):
        engine.related(source, EVERYWHERE, 5, 120)


def test_a_note_that_is_not_indexed_has_no_like(engine: Engine):
    with pytest.raises(NoteNotFound, match="Nothing"):
        engine.related(Source(path="Nothing.md"), EVERYWHERE, 5, 120)


def test_an_empty_note_is_like_nothing(engine: Engine, vault: Vault):
    vault.write("Empty.md", "")
    engine.reconcile()
    settle(engine)

    engine.related(Source(path="Empty.md"), EVERYWHERE, 5, 120)  # whatever it gives, it does not fail
    assert "Empty.md" not in like(engine, path="Glue.md")[:3]


def test_a_text_of_signs_alone_is_like_nothing_by_word(engine: Engine):
    assert isinstance(like(engine, text="-> ... ???"), list)


def test_it_can_be_cancelled(engine: Engine):
    with pytest.raises(Cancelled):
        engine.related(Source(path="Glue.md"), EVERYWHERE, 5, 120, lambda: True)


def test_the_model_that_ships_knows_what_is_alike(sample: Engine):
    found = like(sample, limit=5, text="I lie in bed and cannot fall asleep")

    assert "Health/Lying awake.md" in found[:3]
