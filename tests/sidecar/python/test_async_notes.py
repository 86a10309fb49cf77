"""The notes of a vault for asyncio, with a real sidecar."""

import asyncio
from dataclasses import replace

import pytest

import quarry

pytestmark = pytest.mark.slow  # starts a sidecar


def test_the_twin_gives_what_the_other_gives(at_shared):
    async def scenario():
        async with quarry.open_async(at_shared.vault, start=False) as notes:
            return await asyncio.gather(
                notes.search("rye bread", limit=3),
                notes.context("rye bread"),
                notes.read("Rotate SSH keys"),
                notes.list(folder="Recipes"),
                notes.related("Recipes/Sourdough rye.md"),
                notes.wait(),
            )

    with quarry.open(at_shared.vault, start=False) as notes:
        expected = [
            notes.search("rye bread", limit=3),
            notes.context("rye bread"),
            notes.read("Rotate SSH keys"),
            notes.list(folder="Recipes"),
            notes.related("Recipes/Sourdough rye.md"),
            notes.wait(),
        ]

    *answers, status = asyncio.run(scenario())

    assert (
        [replace(answer, freshness=None) for answer in answers]
        == [  # the index may be compacted in between
            replace(answer, freshness=None) for answer in expected[:-1]
        ]
    )
    assert (status.notes, status.is_complete) == (expected[-1].notes, True)


def test_a_vault_that_was_never_indexed_is_waited_for(home, vault):
    async def scenario():
        async with quarry.open_async(vault, wait_s=30) as notes:
            return await notes.search("oolong")

    assert asyncio.run(scenario())[0].path == "Tea.md"


def test_errors_are_those_of_the_package(at_shared):
    async def scenario():
        async with quarry.open_async(at_shared.vault, start=False) as notes:
            await notes.read("Rotate SSH kees")

    with pytest.raises(quarry.errors.NoteNotFound, match="did you mean"):
        asyncio.run(scenario())


def test_a_captured_note_is_found_at_once(home, vault):
    async def scenario():
        async with quarry.open_async(vault, wait_s=30) as notes:
            captured = await notes.capture("# Zephyr\n\nThe zephyranthes flowers.", wait_ms=30_000)
            return captured, await notes.search("zephyranthes")

    captured, found = asyncio.run(scenario())

    assert captured.created
    assert found[0].path == captured.path
