"""`quarry read`."""

import pytest


def test_a_note_is_printed_as_it_is_written(at_shared, command):
    done = command("read", "Health/Lying awake.md")

    assert done.code == 0
    assert done.out.rstrip("\n") == (at_shared.vault / "Health/Lying awake.md").read_text(encoding="utf-8").rstrip("\n")


def test_a_note_that_is_not_there_is_a_failure_with_a_next_step(at_shared, command):
    done = command("read", "Nothing.md")

    assert done.code == 1
    assert "there is no note 'Nothing.md' in the index" in done.err
    assert "search or list notes" in done.err
    assert "did you mean 'Health/Lying awake.md'" in command("read", "Health/Lyingawake.md").err


def test_a_note_outside_the_vault_is_not_read(at_shared, command, tmp_path):
    (tmp_path / "outside.md").write_text("canary")

    for path in ("../outside.md", str(tmp_path / "outside.md"), "Health/../../outside.md"):
        done = command("read", path)

        assert done.code == 1
        assert "canary" not in done.out


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_was_cut_says_how_to_go_on(vault, command):
    (vault / "Long.md").write_text("\n".join(f"line {n}" for n in range(1, 101)))
    command("index", str(vault))

    done = command("read", "--vault", str(vault), "--max-tokens", "50", "Long.md")

    last = int(done.out.rstrip("\n").rpartition("line ")[2])
    assert f"--from-line {last + 1}" in done.err
    rest = command("read", "--vault", str(vault), "--from-line", str(last + 1), "Long.md")
    assert rest.out.startswith(f"line {last + 1}\n")
    assert rest.err == ""


@pytest.mark.slow
def test_a_line_longer_than_the_budget_is_not_offered_again(vault, command):
    (vault / "Long.md").write_text("x" * 1000 + "\nmore\n")
    command("index", str(vault))

    done = command("read", "--vault", str(vault), "--max-tokens", "50", "Long.md")

    assert "raise --max-tokens" in done.err
    assert "--from-line" not in done.err


@pytest.mark.parametrize("name", ["Recipes/Labskaus", "labskaus", "LABSKAUS.md", "Recipes/Labskaus.md"])
def test_a_note_is_read_by_what_a_link_to_it_says(at_shared, command, name):
    assert command("read", name).out == command("read", "Recipes/Labskaus.md").out


@pytest.mark.slow
def test_a_note_is_read_by_its_title_or_an_alias(vault, command, tools):
    tools.write_vault(vault, {"k8s/1.md": "---\ntitle: Pods\naliases: [Kapsel]\n---\nA pod.\n"})
    command("index", str(vault))

    for name in ("pods", "kapsel"):
        assert command("read", "--vault", str(vault), name).out.endswith("A pod.\n\n")


def test_a_line_that_is_not_there_is_told_with_the_length_of_the_note(at_shared, command):
    done = command("read", "--from-line", "99999", "Home.md")

    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("quarry: --from-line is 99,999; Home.md has 36 lines\n")


@pytest.mark.slow
def test_a_note_of_a_vault_that_is_still_indexed_ends_with_7(held_up, command):
    at = ("--vault", held_up.vault)

    done = command("read", *at, "--wait=0", "Nowhere.md")
    held_up.let_go()
    later = command("read", *at, "--wait", "Nowhere.md")

    assert done.code == 7
    assert "ask again with --wait" in done.err
    assert later.code == 1
    assert command("read", *at, "--wait", "Zephyr.md").out.startswith("# Zephyr")
