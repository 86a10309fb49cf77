import errno
import os
import sys
from pathlib import Path

import pytest

from quarry import protocol
from quarry.errors import BadSettings
from quarry.settings import SETTINGS_FILE, Settings, load_settings, write_settings

WRITTEN = """\
# What I search

[folders]
exclude = ["Archive", "Work/Old/"]  # years ago

[search]
dense_weight = 0.5
colour = "blue"
"""


def vault_with(root: Path, text: str | bytes) -> Path:
    data = text.encode() if isinstance(text, str) else text
    (root / SETTINGS_FILE).write_bytes(data)
    return root


def test_without_a_file_the_defaults_hold(tmp_path):
    settings = load_settings(tmp_path)

    assert settings == Settings()
    assert settings.skip_sections == ("Related", "See also", "Links", "References")
    assert not (tmp_path / SETTINGS_FILE).exists()


def test_the_file_is_read_and_what_it_leaves_out_is_the_default(tmp_path):
    settings = load_settings(vault_with(tmp_path, WRITTEN))

    assert settings == Settings(exclude_folders=("Archive", "Work/Old"), dense_weight=0.5)


def test_every_setting_of_the_wire_can_be_set_in_the_file(tmp_path):
    everything = """
        folders.include = ["In"]
        folders.exclude = ["In/Out"]
        embedding.model = "minishlab/potion-base-8M"
        chunks.skip_sections = []
        search.keyword_weight = 2
        search.dense_weight = 0
        search.fusion = "rrf"
        search.exclude_status = ["draft"]
        folders.templates = true
        keyword.stemming = "none"
        capture.folder = "Inbox/New/"
        capture.by_agents = true
        sensitivity.sensitive = ["Journal"]
        sensitivity.restricted = ["Clients/Acme"]
    """

    settings = load_settings(vault_with(tmp_path, everything))

    assert settings == Settings(
        ("In",),
        ("In/Out",),
        "minishlab/potion-base-8M",
        (),
        2.0,
        0.0,
        "rrf",
        True,
        ("draft",),
        "none",
        capture_folder="Inbox/New",
        capture_by_agents=True,
        sensitive_folders=("Journal",),
        restricted_folders=("Clients/Acme",),
    )
    assert all(hasattr(settings, field) for field in protocol.Settings.__struct_fields__)


def test_a_key_that_means_nothing_is_a_problem_with_the_likely_one_named(tmp_path):
    text = "colour = 1\n[folder]\nexclude = []\n[search]\nkeyword_wieght = 2.0\n"

    settings = load_settings(vault_with(tmp_path, text))

    assert settings == Settings()
    assert [problem.partition(",")[0] for problem in settings.problems] == [
        ".quarry.toml sets colour",
        ".quarry.toml sets folder.exclude",
        ".quarry.toml sets search.keyword_wieght",
    ]
    assert "did you mean folders.exclude?" in settings.problems[1]
    assert "did you mean search.keyword_weight?" in settings.problems[2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('folders.exclude = "Archive"', "folders.exclude is 'Archive'; it takes a list of strings"),
        ("folders.include = [1]", r"folders.include is \[1\]; it takes a list"),
        ('folders.include = [""]', r"folders.include is \[''\]; it takes a list"),
        ('folders.exclude = ["../other"]', "folders.exclude names '../other'; it takes folders below the vault"),
        ('folders.exclude = ["a\\\\b"]', "written with /"),
        ("embedding.model = 8", "embedding.model is 8; it takes"),
        ('embedding.model = " "', "embedding.model is ' '; it takes"),
        ("search.keyword_weight = -1", "search.keyword_weight is -1; it takes a number from 0 to 100"),
        ("search.keyword_weight = 101", "from 0 to 100"),
        ("search.dense_weight = nan", "search.dense_weight is nan"),
        ("search.dense_weight = true", "search.dense_weight is True"),
        ('search.dense_weight = "1"', "search.dense_weight is '1'"),
        ('search.fusion = "fastest"', "search.fusion is 'fastest'; it takes one of convex, rrf, six-signals"),
        ("search.fusion = 1", "search.fusion is 1"),
        ('keyword.stemming = "porter"', "keyword.stemming is 'porter'; it takes one of by-language, none"),
        ("search.rrf_k = -1", "search.rrf_k is -1; it takes a number from 0 to 10000"),
        ("search.rrf_text_weight = true", "search.rrf_text_weight is True"),
        ("capture.folder = 1", "capture.folder is 1; it takes a folder below the vault"),
        ('capture.folder = "../out"', "capture.folder names '../out'"),
        ('capture.by_agents = "yes"', "capture.by_agents is 'yes'; it takes true or false"),
        ("search = 1", r"search in .quarry.toml is 1; it must be a table: \[search\]"),
        ("a = ?", ".quarry.toml is not TOML: .*line 1"),
        ("a = " + "[" * 150, ".quarry.toml is not TOML"),
        ("a = " + "[" * 5000, ".quarry.toml, line 1: there are more than 600 keys, tables and lists"),
        ("\n".join(f"k{n} = 1" for n in range(700)), "line 601: there are more than 600 keys"),
        ("[x]\n" + ".".join("a" * 6) + " = 1", "line 2: a key has more than 5 parts"),
        ("# x\n\n[" + " . ".join("a" * 6) + "]", "line 3: a key has more than 5 parts"),
        ("[[" + ".".join(["'a'"] * 6) + "]]", "line 1: a key has more than 5 parts"),
        ('a = """\n\n"""\nx = {"a.b"' + ".a" * 5 + " = 1}", "line 4: a key has more than 5 parts"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_key_and_value(tmp_path, text, says):
    with pytest.raises(BadSettings, match=says):
        load_settings(vault_with(tmp_path, text))


def test_dots_in_strings_and_comments_are_no_key(tmp_path):
    dots = "a.b.c.d.e.f.g.h.i.j.k.l"
    text = f'# {dots}\n[folders]\nexclude = [\n  \'{dots}\', # {dots}\n  """x {dots}""",\n]\n"{dots}" = 1\n'

    assert load_settings(vault_with(tmp_path, text)).exclude_folders == (dots, f"x {dots}")


def test_a_key_of_five_parts_is_read(tmp_path):
    settings = load_settings(vault_with(tmp_path, "a.b.c.d.e = 1"))

    assert len(settings.problems) == 1


def test_a_file_over_64_kb_is_refused_before_it_is_parsed(tmp_path):
    with pytest.raises(BadSettings, match="is larger than 65536 bytes"):
        load_settings(vault_with(tmp_path, "a" + ".a" * 40_000 + "=1"))


def test_of_many_keys_that_mean_nothing_the_first_are_listed(tmp_path):
    settings = load_settings(vault_with(tmp_path, "\n".join(f"k{n} = 1" for n in range(30))))

    assert len(settings.problems) == 21
    assert settings.problems[-1] == ".quarry.toml sets 10 more keys that are not known"


def test_a_long_value_is_shortened_in_the_message(tmp_path):
    with pytest.raises(BadSettings) as refusal:
        load_settings(vault_with(tmp_path, f'search.fusion = "{"x" * 50_000}"'))

    assert len(str(refusal.value)) < 200


def test_a_file_that_is_no_text_is_refused_with_the_place(tmp_path):
    with pytest.raises(BadSettings, match=r"is not UTF-8 \(byte 2\)"):
        load_settings(vault_with(tmp_path, b"# \xff"))


def test_a_byte_order_mark_and_line_ends_of_windows_are_fine(tmp_path):
    text = b"\xef\xbb\xbf[search]\r\ndense_weight = 2.0\r\n"

    assert load_settings(vault_with(tmp_path, text)).dense_weight == 2.0


def test_writing_changes_one_value_and_keeps_everything_else_to_the_letter(tmp_path):
    vault_with(tmp_path, WRITTEN)

    settings = write_settings(tmp_path, {"dense_weight": 0.25})

    assert settings.dense_weight == 0.25
    assert (tmp_path / SETTINGS_FILE).read_text(encoding="utf-8") == WRITTEN.replace("0.5", "0.25")


def test_the_vault_itself_can_be_written_as_the_folder_of_captures(tmp_path):
    assert write_settings(tmp_path, {"capture_folder": ""}).capture_folder == ""


def test_writing_makes_the_file_where_there_is_none(tmp_path):
    settings = write_settings(tmp_path, {"include_folders": ("Work",), "skip_sections": ["Quellen"]})

    assert settings == Settings(include_folders=("Work",), skip_sections=("Quellen",))
    assert load_settings(tmp_path) == settings
    assert [file.name for file in tmp_path.iterdir()] == [SETTINGS_FILE]


def test_writing_nothing_makes_no_file(tmp_path):
    assert write_settings(tmp_path, {}) == Settings()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "changes", [{"keyword_weight": 1.0, "dense_weight": "much"}, {"colour": "blue"}, {"exclude_folders": ["/../x"]}]
)
def test_a_change_that_cannot_be_made_leaves_the_file_as_it_was(tmp_path, changes):
    vault_with(tmp_path, WRITTEN)

    with pytest.raises(BadSettings):
        write_settings(tmp_path, changes)

    assert (tmp_path / SETTINGS_FILE).read_text(encoding="utf-8") == WRITTEN


def test_a_file_that_is_not_understood_is_not_written_over(tmp_path):
    vault_with(tmp_path, "half [a")

    with pytest.raises(BadSettings, match="is not TOML"):
        write_settings(tmp_path, {"dense_weight": 1.0})

    assert (tmp_path / SETTINGS_FILE).read_text(encoding="utf-8") == "half [a"


def test_a_value_under_a_dotted_key_or_in_an_inline_table_is_changed_in_its_place(tmp_path):
    vault_with(tmp_path, 'search.dense_weight = 1.0 # dotted\nfolders = {exclude = ["A"]}\n')

    settings = write_settings(tmp_path, {"dense_weight": 3.0, "exclude_folders": ["B"]})

    assert settings == Settings(exclude_folders=("B",), dense_weight=3.0)
    assert (tmp_path / SETTINGS_FILE).read_text(encoding="utf-8") == (
        'search.dense_weight = 3.0 # dotted\nfolders = {exclude = ["B"]}\n'
    )


def test_the_file_is_replaced_and_not_written_in_place(tmp_path):
    vault_with(tmp_path, WRITTEN)
    with (tmp_path / SETTINGS_FILE).open(encoding="utf-8") as half_read:
        if sys.platform == "win32":
            half_read.close()  # Windows replaces no file that is open
        write_settings(tmp_path, {"dense_weight": 9.0})

        assert half_read.closed or half_read.read() == WRITTEN


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pipe")
def test_a_pipe_in_the_place_of_the_file_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / SETTINGS_FILE)

    with pytest.raises(BadSettings, match="not a regular file"):
        load_settings(tmp_path)


def test_a_number_of_thousands_of_digits_is_a_bad_setting(tmp_path):
    (tmp_path / SETTINGS_FILE).write_text("[search]\nkeyword_weight = 1" + "0" * 5_000, "utf-8")

    with pytest.raises(BadSettings, match="is not TOML"):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"exclude_folders": ["x" * 1_001]},
        {"exclude_folders": ["x"] * 1_001},
        {"exclude_folders": ["./sub"]},
        {"fusion": "fastest"},
        {"fusion": ["rrf"]},
        {"model": "bad\nname"},
        {"model": "x" * 1_001},
    ],
)
def test_what_could_not_be_lived_with_is_not_written(tmp_path, changes):
    with pytest.raises(BadSettings):
        write_settings(tmp_path, changes)

    assert not (tmp_path / SETTINGS_FILE).exists()


def test_comments_between_the_items_of_a_list_stay(tmp_path):
    written = '[folders]\nexclude = [ # mine\n    "Old", # done\n    "Drafts", # not yet\n]\n'
    (tmp_path / SETTINGS_FILE).write_text(written, "utf-8")

    settings = write_settings(tmp_path, {"exclude_folders": ["Old", "New"]})

    text = (tmp_path / SETTINGS_FILE).read_text("utf-8")
    assert settings.exclude_folders == ("Old", "New")
    assert "# mine" in text
    assert "# done" in text
    assert "Drafts" not in text


def test_the_published_fusion_can_be_chosen_and_left_again(tmp_path):
    vault_with(tmp_path, WRITTEN)

    assert Settings().fusion == "convex"
    assert write_settings(tmp_path, {"fusion": "rrf"}).fusion == load_settings(tmp_path).fusion == "rrf"
    assert write_settings(tmp_path, {"fusion": "convex"}).fusion == load_settings(tmp_path).fusion == "convex"


def test_settings_that_cannot_be_written_are_said_to_be_and_nothing_is_left_behind(tmp_path, monkeypatch):
    """A read-only file system refuses to remove a file, even one that is not there."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    for name in ("write_text", "replace", "unlink"):
        monkeypatch.setattr(Path, name, refuse)

    with pytest.raises(BadSettings, match=r"cannot be written: Read-only file system"):
        write_settings(tmp_path, {"model": "bundled"})


@pytest.mark.parametrize(
    "name", ["https://user:s3cr3t@host/v1#m", "ollama://s3cr3t@host/m", "http://host/v1?key=s3cr3t#m"]
)
def test_what_may_be_a_credential_in_the_name_of_a_model_is_read_by_no_one(tmp_path, name):
    settings = load_settings(vault_with(tmp_path, f'[embedding]\nmodel = "{name}"\n'))

    assert "s3cr3t" not in settings.model
    assert settings.model.partition(":")[0] == name.partition(":")[0]
