"""`quarry read`."""


def test_a_note_is_printed_as_it_is_written(at_shared, command):
    done = command("read", "Health/Lying awake.md")

    assert done.code == 0
    assert done.out.rstrip("\n") == (at_shared.vault / "Health/Lying awake.md").read_text(encoding="utf-8").rstrip("\n")


def test_a_note_that_is_not_there_is_a_failure_with_a_next_step(at_shared, command):
    done = command("read", "Nothing.md")

    assert done.code == 1
    assert "there is no note 'Nothing.md' in the index" in done.err
    assert "search or list notes" in done.err


def test_a_path_without_its_ending_is_completed(at_shared, command):
    done = command("read", "Health/Lying awake")

    assert done.code == 1
    assert "did you mean 'Health/Lying awake.md'?" in done.err


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

    assert "raise --max-tokens" in done.err
    assert "--from-line" not in done.err
