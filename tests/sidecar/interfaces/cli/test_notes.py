"""`quarry read` and `quarry list`."""

import json
import os


def test_a_note_is_printed_as_it_is_written(at_shared, command):
    done = command("read", "Health/Lying awake.md")

    assert done.code == 0
    assert done.out.rstrip("\n") == (at_shared.vault / "Health/Lying awake.md").read_text(encoding="utf-8").rstrip("\n")


def test_a_note_that_is_not_there_is_a_failure_with_a_next_step(at_shared, command):
    done = command("read", "Nothing.md")

    assert done.code == 1
    assert "search or list notes" in done.err


def test_a_note_outside_the_vault_is_not_read(at_shared, command, tmp_path):
    (tmp_path / "outside.md").write_text("canary")

    for path in ("../outside.md", str(tmp_path / "outside.md"), "Health/../../outside.md"):
        done = command("read", path)

        assert done.code == 1
        assert "canary" not in done.out


def test_a_credential_in_a_note_is_blanked(command, vault):
    secret = "gh" + "p_" + "A1b2C3d4E5" * 3 + "F6g7H8"
    (vault / "Keys.md").write_text(f"# Keys\n\ntoken: {secret}\n")
    command("index", str(vault))

    outputs = [
        command("read", "--vault", str(vault), "Keys.md"),
        command("read", "--vault", str(vault), "--json", "Keys.md"),
        command("search", "--vault", str(vault), "--full", "token"),
    ]

    assert all(done.code == 0 and "REDACTED" in done.out for done in outputs)
    assert not any(secret in done.out for done in outputs)


def test_what_was_cut_says_how_to_go_on(vault, command):
    (vault / "Long.md").write_text("\n".join(f"line {n}" for n in range(1, 101)))
    command("index", str(vault))

    done = command("read", "--vault", str(vault), "--max-tokens", "50", "Long.md")

    last = int(done.out.rstrip("\n").rpartition("line ")[2])
    assert f"--from-line {last + 1}" in done.err
    rest = command("read", "--vault", str(vault), "--from-line", str(last + 1), "Long.md")
    assert rest.out.startswith(f"line {last + 1}\n")
    assert rest.err == ""


def test_a_line_longer_than_the_budget_is_not_offered_again(vault, command):
    (vault / "Long.md").write_text("x" * 1000 + "\nmore\n")
    command("index", str(vault))

    done = command("read", "--vault", str(vault), "--max-tokens", "50", "Long.md")

    assert "--max-tokens shows more" in done.err
    assert "--from-line" not in done.err


def test_a_list_gives_day_title_path_and_tags(at_shared, command):
    done = command("list", "--folder", "Health")

    lines = done.out.splitlines()
    assert len(lines) == 4
    assert any("Lying awake" in line and "Health/Lying awake.md" in line and "#" in line for line in lines)
    assert all(line[4] == line[7] == "-" for line in lines)


def test_a_list_says_how_many_more_there_are(at_shared, command):
    done = command("list", "--limit", "3")

    assert len(done.out.splitlines()) == 3
    assert "3 of 80" in done.err


def test_pages_follow_each_other_without_gap_or_overlap(at_shared, command):
    pages = [json.loads(command("list", "--json", "--limit", "30", "--offset", str(n)).out) for n in (0, 30, 60)]

    paths = [note["path"] for page in pages for note in page["notes"]]
    assert len(paths) == len(set(paths)) == 80


def test_a_list_is_narrowed_by_day(vault, command):
    day_s = 1_767_225_600  # 2026-01-01
    for number, path in enumerate(sorted(vault.rglob("*.md"))):
        os.utime(path, (day_s + number * 10 * 86_400,) * 2)
    command("index", str(vault))

    done = command("list", "--vault", str(vault), "--since", "2026-01-05", "--until", "2026-01-15")

    assert [line[:10] for line in done.out.splitlines()] == ["2026-01-11"]
