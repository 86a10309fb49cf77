"""Every documentation page: its links resolve, and its commands exist in this version."""

import argparse
import re
from urllib.parse import unquote

import pytest
from pages import GUIDES, PAGES, REPOSITORY, Page, anchor

from quarry.cli.arguments import protected_arguments
from quarry.cli.main import COMMANDS, full_parser

PARSER = full_parser()
COMMAND_PARSERS = next(action.choices for action in PARSER._actions if isinstance(action, argparse._SubParsersAction))


@pytest.mark.parametrize("path", PAGES)
def test_every_link_within_the_project_resolves(path):
    broken = []
    for target in Page.read(path).links:
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        place = ((REPOSITORY / path).parent / unquote(file)).resolve() if file else REPOSITORY / path
        if (
            not place.exists()
            or not place.is_relative_to(REPOSITORY)
            or (fragment and place.suffix == ".md" and fragment not in Page.read(str(place)).anchors)
        ):
            broken.append(target)

    assert broken == []


@pytest.mark.parametrize("path", GUIDES)
def test_every_command_in_a_shell_block_parses(path):
    refused = []
    for arguments in Page.read(path).shell_commands:
        if arguments[:1] in (["--version"], ["--help"]) or arguments[-1:] == ["--help"]:
            continue
        try:
            PARSER.parse_args(protected_arguments(arguments))
        except Exception as error:  # a reader would meet any of them
            refused.append(f"quarry {' '.join(arguments)}: {error}")

    assert refused == []


@pytest.mark.parametrize("path", GUIDES)
def test_every_command_in_the_prose_exists_with_its_options(path):
    unknown = []
    for command in Page.read(path).inline_commands:
        name, *words = command.split()[1:]
        if name.startswith("-") or name in ("COMMAND", "…"):
            continue
        options = {option.split("=")[0].strip("[]") for option in words if option.startswith(("--", "[--"))}
        known = COMMAND_PARSERS[name]._option_string_actions if name in COMMANDS else {}
        if name not in COMMANDS or not options <= {*known}:
            unknown.append(command)

    assert unknown == []


def test_every_page_is_one_click_from_the_readme():
    linked = {target.partition("#")[0] for target in Page.read("README.md").links}

    assert {page for page in GUIDES if page.startswith("docs/")} <= linked


def test_the_files_to_touch_exist():
    named = re.findall(r"`((?:sidecar|plugin|tests|docs)/[\w./-]+)`", Page.read("CONTRIBUTING.md").text)
    placeholders = ("NAME", "CODE", ".venv")

    assert len(named) > 10
    real = [path for path in named if not any(placeholder in path for placeholder in placeholders)]
    assert [path for path in real if not (REPOSITORY / path).exists()] == []


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("The command line", "the-command-line"),
        ("`quarry search`: more", "quarry-search-more"),
        ("What it reads, writes and connects to", "what-it-reads-writes-and-connects-to"),
    ],
)
def test_an_anchor_is_what_github_makes_of_a_heading(heading, expected):
    assert anchor(heading) == expected


def test_a_wrong_command_is_found():
    page = Page("x.md", "see `quarry serch --bogus`\n\n```sh\necho x | quarry search --nope tea  # why\n```\n")

    assert page.inline_commands == ["quarry serch --bogus"]
    assert list(page.shell_commands) == [["search", "--nope", "tea"]]
