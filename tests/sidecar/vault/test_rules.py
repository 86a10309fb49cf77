"""Single folders of the settings: those that hold them, and no others, change."""

import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import BadSettings
from quarry.messages import message
from quarry.settings import Settings
from quarry.vault.obsidian import Filter, TemplateFolder, matcher
from quarry.vault.rules import Rules, folder_changes


def ignoring(*lines: str) -> Rules:
    return Rules(ignore_lines=lines)


def test_without_rules_everything_is_indexed():
    assert Rules().admits("any/note.md")


def test_an_allow_list_leaves_out_the_rest():
    rules = Rules(include=["Work", "Life/Health/"])

    assert rules.admits("Work/a.md")
    assert rules.admits("Life/Health/deep/b.md")
    assert not rules.admits("Life/c.md")
    assert not rules.admits("Workshop/d.md")
    assert not rules.admits("Work.md")


def test_a_folder_is_recognised_whatever_the_case_and_however_accents_are_composed():
    rules = Rules(exclude=["Cafe\u0301"])

    assert not rules.admits("caf\u00e9/menu.md")
    assert not rules.admits("CAFE\u0301/menu.md")


def test_notes_in_a_sensitive_or_restricted_folder_are_refused_with_its_class():
    rules = Rules(include=["Health", "Work"], classified=(("Health", "restricted"), ("Work/Clients", "sensitive")))

    refused = {path: rules.refusal(path) for path in ("health/a.md", "Work/Clients/Acme/b.md")}
    assert [(one.code.removeprefix("reason."), one.args["entry"]) for one in refused.values()] == [
        ("sensitivity", "restricted"),
        ("sensitivity", "sensitive"),
    ]
    assert rules.admits("Work/c.md")
    assert rules.refusal_of_folder("Health").code == "reason.sensitivity"
    assert pickle.loads(pickle.dumps(rules)).refusal("Health/a.md") == refused["health/a.md"]


def test_the_first_rule_that_refuses_is_the_reason():
    everything = Rules(
        include=["In"], exclude=["In/Out"], ignore_lines=["*.tmp.md"], filters=(Filter("In/", matcher("In/")),)
    )

    assert everything.refusal("Elsewhere/x.tmp.md").code == "reason.folders-include"
    assert everything.refusal("In/Out/x.tmp.md").code == "reason.folders-exclude"
    assert everything.refusal("In/x.tmp.md").code == "reason.index-ignore"
    assert everything.refusal("In/x.md").code == "reason.obsidian-excluded"


def test_the_reason_names_the_entry_as_it_was_written():
    assert Rules(exclude=["/Old stuff/"]).refusal("old stuff/a.md").args == {"entry": "/Old stuff/"}
    assert ignoring("# mine", "", "*.log.md").refusal("a/b.log.md").args == {"entry": "*.log.md"}


@pytest.mark.parametrize(
    ("lines", "path", "admitted"),
    [
        (["drafts/"], "x/drafts/a.md", False),
        (["drafts/"], "drafts.md", True),
        (["*.tmp.md", "!keep.tmp.md"], "a/keep.tmp.md", True),
        (["\\#hash.md"], "#hash.md", False),
        (["caf\u00e9/"], "cafe\u0301/a.md", False),
    ],
)
def test_indexignore_is_read_as_git_reads_an_ignore_file(lines, path, admitted):
    assert ignoring(*lines).admits(path) is admitted


def test_a_line_that_cannot_be_read_is_reported_and_the_others_hold():
    rules = ignoring("!", "[Old-Archive]/", "out/")

    assert rules.problems == (
        ".indexignore, line 1, '!': it names nothing; the line has no effect",
        ".indexignore, line 2, '[Old-Archive]/': the range d-A in a bracket is reversed; "
        "the bracket is read as part of a name; to say so, write \\[",
    )
    assert not rules.admits("out/a.md")
    assert not rules.admits("[Old-Archive]/a.md")


def test_of_many_lines_that_cannot_be_read_the_first_are_listed():
    rules = ignoring(*["!"] * 30)

    assert len(rules.problems) == 21
    assert rules.problems[-1] == ".indexignore: 10 more lines have problems"


def test_two_lines_that_no_engine_takes_together_do_not_stop_a_scan():
    rules = ignoring("*a*a*a*a*a*a*a*a*b", "[[:alpha:]]")

    assert rules.admits("a" * 200)
    assert not rules.admits("x/a")


def test_a_byte_that_is_not_utf8_may_be_any_character(tmp_path):
    (tmp_path / ".indexignore").write_bytes("Tagebücher/\n".encode("cp1252"))

    rules = Rules.load(tmp_path)

    assert not rules.admits("Tagebücher/a.md")
    assert rules.admits("Tage/a.md")
    assert "not UTF-8" in rules.problems[0]


def test_an_indexignore_in_utf16_is_read(tmp_path):
    (tmp_path / ".indexignore").write_bytes("Privé/\r\n".encode("utf-16"))

    assert not Rules.load(tmp_path).admits("Privé/a.md")


def test_the_files_of_the_vault_are_read(tmp_path):
    (tmp_path / ".indexignore").write_bytes("\ufeffjournal/\r\n!x\r\n".encode())
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["Templates/"]}', encoding="utf-8")

    rules = Rules.load(tmp_path, exclude=["Old"])

    assert [rules.admits(path) for path in ("journal/a.md", "Templates/a.md", "Old/a.md", "a.md")] == [
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("put", "reason"),
    [
        (Path.mkdir, "not a text file"),
        pytest.param(
            getattr(os, "mkfifo", None),
            "not a text file",
            marks=pytest.mark.skipif(os.name == "nt", reason="needs a pipe"),
        ),
        (lambda file: file.write_bytes("Privé/\n".encode("utf-16-le")), "not text in UTF-8"),
    ],
)
def test_an_indexignore_that_cannot_be_read_stops_everything_instead_of_opening_it(tmp_path, put, reason):
    put(tmp_path / ".indexignore")

    with pytest.raises(BadSettings, match=reason):
        Rules.load(tmp_path)


def test_more_wildcards_than_can_be_applied_stop_everything_instead_of_opening_it():
    lines = [f"*{number}*.md" for number in range(3_000)]

    with pytest.raises(BadSettings, match="more than 2000 names with wildcards"):
        Rules(ignore_lines=lines)


def test_a_script_may_list_notes_by_the_thousand():
    rules = Rules(ignore_lines=[f"/Work/note {number}.md" for number in range(5_000)])

    assert not rules.admits("Work/note 4999.md")
    assert rules.admits("Work/note 5000.md")


@given(
    st.lists(
        st.sampled_from(
            ["a.md", "Work/a.md", "work/b.md", "Work/Old/a.md", "\u00c9t\u00e9/a.md", "E\u0301te\u0301/a.md"]
        )
    )
)
def test_what_was_asked_before_changes_no_answer(paths):
    def rules():
        return Rules(include=["work", "\u00e9t\u00e9"], exclude=["Work/old"], ignore_lines=["b.md"])

    used = rules()

    assert [used.refusal(path) for path in paths] == [rules().refusal(path) for path in paths]


def test_another_process_is_given_the_same_rules(tmp_path):
    (tmp_path / ".indexignore").write_text("/drafts/*\n!/drafts/kept.md\n", "utf-8")
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/app.json").write_text('{"userIgnoreFilters": ["Old/", "/x[12]/", "/(?<=a)b/"]}', "utf-8")
    rules = Rules.load(tmp_path, include=["drafts", "work"], exclude=["work/shut"])

    sent = pickle.loads(pickle.dumps(rules))

    paths = ["drafts/a.md", "drafts/kept.md", "work/a.md", "work/shut/a.md", "work/x1.md", "Old/a.md", "a.md"]
    assert [sent.refusal(path) for path in paths] == [rules.refusal(path) for path in paths]
    assert sent.problems == rules.problems != ()


def test_templates_are_left_out_with_a_reason_of_their_own():
    rules = Rules(templates=(TemplateFolder("Meta/Templates", "Templater"),))

    refusal = rules.refusal("meta/templates/daily.md")
    assert refusal == message("reason.templates", entry="Meta/Templates", plugin="Templater")
    assert rules.admits("Meta/Templates.md")
    assert pickle.loads(pickle.dumps(rules)).refusal("Meta/Templates/x.md") == refusal


def test_templates_are_indexed_where_the_settings_say_so(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "templates.json").write_text('{"folder": "T"}')

    assert not Rules.load(tmp_path).admits("T/a.md")
    assert Rules.load(tmp_path, with_templates=True).admits("T/a.md")


@pytest.mark.parametrize(
    ("excluded", "included", "exclude", "include", "changes"),
    [
        ((), (), ["A"], [], {"exclude_folders": ("A",)}),
        (("a",), (), ["A/B"], [], {}),
        (("A/B",), (), ["A"], [], {"exclude_folders": ("A/B", "A")}),
        (("A", "B"), (), [], ["a"], {"exclude_folders": ("B",)}),
        (("A", "B"), (), [], ["A/C/D"], {"exclude_folders": ("B",)}),
        (("A/B",), (), [], ["A"], {}),
        (("Ab",), (), [], ["A"], {}),
        ((), ("W",), [], ["A"], {"include_folders": ("W", "A")}),
        ((), ("W",), [], ["W/X"], {}),
        ((), (), [], ["A"], {}),
        (("caf\u00e9",), (), [], ["cafe\u0301"], {"exclude_folders": ()}),
    ],
)
def test_what_changes(excluded, included, exclude, include, changes):
    settings = Settings(exclude_folders=excluded, include_folders=included)

    assert folder_changes(settings, exclude, include) == changes
