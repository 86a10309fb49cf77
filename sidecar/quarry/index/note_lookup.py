"""Finds the note that a person means by a name: a path, what a link would say, a title or an alias."""

import apsw

from quarry.index.database import select
from quarry.index.folding import fold_case
from quarry.index.links import Namesakes, target_key, target_number
from quarry.index.note_rows import read_list

MIN_SIMILARITY = 60.0  # of 100: `Sourdogh` is 94 like `Sourdough rye`, `nope` 57 like `Open questions`


def note_paths(connection: apsw.Connection, name: str) -> list[str]:
    """
    Paths of the notes that *name* may mean: the one that a link with it leads to, else all with that title or alias.

    A note at the path *name* itself is to be looked for before. The signs of a wiki-link, its label and its heading are
    left out: `[[Work/Plan#Next|the plan]]` means `Work/Plan`.
    """
    name = link_target(name)
    key = target_key(name)
    rows = select(connection, "SELECT path FROM notes WHERE name = ?", (target_number(key),))
    if linked := Namesakes([path for (path,) in rows if target_key(path) == key]).resolve(name, ""):
        return [linked]
    wanted = fold_case(name)
    return [path for path, names in _names(connection) if wanted in names]


def link_target(text: str) -> str:
    """The note that *text*, perhaps a wiki-link with a label or a heading, names; *text* itself if it names none."""
    inner = text.strip().removeprefix("!").removeprefix("[[").removesuffix("]]")
    return inner.partition("|")[0].partition("#")[0].strip() or text


def similar_paths(connection: apsw.Connection, name: str, limit: int) -> list[str]:
    """Paths of the notes whose file name, title or alias is most like *name*, best first."""
    from rapidfuzz import fuzz, process  # here, as it is used for mistakes alone

    names = [(path, each) for path, all_names in _names(connection) for each in all_names]
    found = process.extract(
        target_key(name), [each for _, each in names], scorer=fuzz.WRatio, limit=4 * limit, score_cutoff=MIN_SIMILARITY
    )
    return list(dict.fromkeys(names[position][0] for _, _, position in found))[:limit]


def _names(connection: apsw.Connection) -> list[tuple[str, list[str]]]:
    """The path of every note with its file name, title and aliases, case ignored."""
    rows = select(connection, "SELECT path, title, aliases FROM notes ORDER BY path", ())
    return [
        (path, [target_key(path), *(fold_case(name) for name in (title, *read_list(aliases)))])
        for path, title, aliases in rows
    ]
