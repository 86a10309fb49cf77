"""`quarry list`."""

import json
import os

import pytest


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


@pytest.mark.slow
def test_a_list_is_narrowed_by_day(vault, command):
    day_s = 1_767_225_600  # 2026-01-01
    for number, path in enumerate(sorted(vault.rglob("*.md"))):
        os.utime(path, (day_s + number * 10 * 86_400,) * 2)
    command("index", str(vault))

    done = command("list", "--vault", str(vault), "--since", "2026-01-05", "--until", "2026-01-15")

    assert [line[:10] for line in done.out.splitlines()] == ["2026-01-11"]
