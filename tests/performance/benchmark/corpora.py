"""
Which notes and queries are measured? Copies of a vault, cut or grown to a size, and queries made from its sentences.

A vault grows by synthetic notes: the section lengths of one of its notes, filled with sentences from all of them, so
that each term keeps its share of the chunks. The same vault always gives the same files.
"""

import hashlib
import json
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from benchmark.measurement import PartFailed
from quarry.documents.decoding import decode_note
from quarry.documents.note import ParserSettings, read_note
from quarry.errors import BadRequest, VaultMissing

VERSION = 1  # of the synthetic notes; raise it with every change of what is written
SEED = 20_260_101
KEPT_FILES = (".quarry.toml", ".indexignore")  # the rules that exclude notes are copied as well
MANIFEST = "corpus.json"
POOL_NOTES = 4_000  # whose sentences are drawn from; a tenth of a gigabyte at most
TRIED_NOTES = 300  # generated to learn how many characters make a chunk
LEAST_SECTION = (
    300  # characters; mixed chunks are then as long as real ones: 250 gives 746, 350 gives 819, real are 781
)
MOST_SECTIONS = 200
MAX_SENTENCE = 400  # characters; what is longer is a table or a dump
QUESTION_WORDS = 10
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_HEADING = re.compile(r"(?m)^(#{1,3}) +(\S.*)$")
_WORD = re.compile(r"\w+")


class Corpus(Struct, frozen=True):
    """A copy of a vault made for measuring, which may be changed."""

    vault: Path
    notes: int
    own_notes: int  # how many of them are the given vault's
    chars: int


def create_corpus(source: Path, work: Path, *, notes: int | None = None, chunks: int | None = None) -> Corpus:
    """
    Copy the vault *source* below *work*: about so many *notes* or *chunks* of it, or all where neither is given.

    A copy that an earlier run made of the same files is reused.

    Raises:
        VaultMissing: There is no such folder.
        BadRequest: It holds no note.
    """
    files = find_notes(source)
    folder = work / f"corpus-{_key(source, files, notes, chunks)}"
    if not (folder / MANIFEST).is_file():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "vault").mkdir(parents=True)
        corpus = _write(source, files, folder / "vault", notes, chunks)
        row = {"notes": corpus.notes, "own_notes": corpus.own_notes, "chars": corpus.chars}
        (folder / MANIFEST).write_text(json.dumps(row), "utf-8")  # last: it says that the copy is complete
    return Corpus(folder / "vault", **json.loads((folder / MANIFEST).read_text("utf-8")))


def find_notes(vault: Path) -> list[str]:
    """
    List the paths of the notes of *vault*; hidden folders are left out.

    Raises:
        VaultMissing, BadRequest: As for `create_corpus`.
    """
    if not vault.is_dir():
        raise VaultMissing(f"there is no folder {vault}")
    found = (file.relative_to(vault) for file in vault.rglob("*.md") if file.is_file())
    paths = sorted(path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts))
    if not paths:
        raise BadRequest(f"{vault} holds no note to measure with")
    return paths


def questions(vault: Path, count: int) -> list[str]:
    """At most *count* queries: sentences of *vault* cut to ten words, then titles."""
    chance = random.Random(SEED)
    paths = find_notes(vault)
    chance.shuffle(paths)
    sentences: list[str] = []
    titles: list[str] = []
    for path in paths:
        words = [_WORD.findall(sentence) for sentence in sentences_of(_text(vault, path))]
        if long := [found for found in words if len(found) >= QUESTION_WORDS]:
            sentences.append(" ".join(chance.choice(long)[:QUESTION_WORDS]))
        titles.append(" ".join(_WORD.findall(Path(path).stem)[:QUESTION_WORDS]))
        if len(sentences) == count:
            break
    return list(dict.fromkeys(filter(None, (*sentences, *titles))))[:count]


def read_questions(files: Sequence[Path]) -> list[str]:
    """
    Read the queries in *files*: JSON lines with `text`.

    Raises:
        BadRequest: A file cannot be read, or there are no queries.
    """
    found: list[str] = []
    for file in files:
        try:
            rows = map(json.loads, filter(str.strip, file.read_text("utf-8").splitlines()))
            found += [str(row["text"]) for row in rows]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadRequest(f"{file} holds no queries, which are JSON lines with `text`: {error!r}") from error
    if not found:
        raise BadRequest(f"there are no queries in {', '.join(map(str, files))}")
    return list(dict.fromkeys(found))


def words_of(texts: Sequence[str], count: int) -> list[str]:
    """At most *count* different words of *texts* with four letters or more, in order of their hashes."""
    words = {word for text in texts for word in _WORD.findall(text.lower()) if len(word) >= 4 and word.isalpha()}
    return sorted(words, key=lambda word: hashlib.sha256(word.encode()).digest())[:count]


def sentences_of(text: str) -> list[str]:
    """The sentences of a note, without headings, tables and rules."""
    lines = (line.strip().lstrip("-*> ") for line in _SENTENCE_END.split(text))
    return [line[:MAX_SENTENCE] for line in lines if len(line) > 3 and line[0] not in "#|`-=~"]


@contextmanager
def restored(vault: Path) -> Iterator[Callable[[str], Path]]:
    """A function to call with the path of a note before it is changed; in the end each such note is as it was."""
    before: dict[Path, tuple[bytes, int]] = {}

    def remember(path: str) -> Path:
        file = vault / path
        before.setdefault(file, (file.read_bytes(), file.stat().st_mtime_ns))
        return file

    try:
        yield remember
    finally:
        for file, (data, mtime_ns) in before.items():
            file.write_bytes(data)
            os.utime(file, ns=(mtime_ns, mtime_ns))


# --- writing -------------------------------------------------------------------------------------


def _write(source: Path, files: Sequence[str], vault: Path, notes: int | None, chunks: int | None) -> Corpus:
    for name in KEPT_FILES:
        if (source / name).is_file():
            shutil.copyfile(source / name, vault / name)
    chance = random.Random(SEED)
    order = list(files)
    if notes is not None or chunks is not None:
        chance.shuffle(order)  # a part of a vault should resemble the whole, not its first folders
    written, chars, found = 0, 0, 0
    for path in order:
        if (notes is not None and written == notes) or (chunks is not None and found >= chunks):
            break
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, vault / path)
        text = _text(source, path)
        written, chars = written + 1, chars + len(text)
        if chunks is not None:
            found += chunk_count(path, text)
    own = written
    missing_notes = 0 if notes is None else notes - written
    missing_chunks = 0 if chunks is None else chunks - found
    if missing_notes > 0 or missing_chunks > 0:
        synthetic = SyntheticVault([_text(source, path) for path in sorted(order[:POOL_NOTES])])
        room = None if chunks is None else int(missing_chunks * synthetic.chars_a_chunk())
        for path, text in synthetic.notes(missing_notes or None, room):
            (vault / path).parent.mkdir(parents=True, exist_ok=True)
            (vault / path).write_text(text, "utf-8")
            written, chars = written + 1, chars + len(text)
    return Corpus(vault, written, own, chars)


class SyntheticVault:
    """Generates notes from the sentences and section lengths of *texts*."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._sentences = [sentence for text in texts for sentence in sentences_of(text)]
        self._shapes = [shape for text in texts if (shape := _shape(text))]
        if not self._sentences or not self._shapes:
            raise PartFailed("the vault holds no sentence to make further notes from")

    def notes(self, count: int | None, room: int | None) -> Iterator[tuple[str, str]]:
        """Paths and texts: *count* of them, or as many as *room* characters take."""
        chance = random.Random(SEED + 1)
        written = 0
        number = 0
        while (count is None or number < count) and (room is None or written < room):
            text = self._note(chance)
            yield f"mixed/{number // 1000:04d}/{number:07d}.md", text
            written += len(text)
            number += 1

    def chars_a_chunk(self) -> float:
        """How many characters of a generated note make a chunk, measured on a sample."""
        tried = list(self.notes(TRIED_NOTES, None))
        return sum(len(text) for _, text in tried) / max(1, sum(chunk_count(path, text) for path, text in tried))

    def _note(self, chance: random.Random) -> str:
        shape = chance.choice(self._shapes)
        parts = [f"# {self._few_words(chance)}"]
        for number, size in enumerate(shape):
            if number:
                parts.append(f"## {self._few_words(chance)}")
            parts.append(self._paragraphs(chance, size))
        return "\n\n".join(parts) + "\n"

    def _paragraphs(self, chance: random.Random, size: int) -> str:
        sentences: list[str] = []
        length = 0
        while length < size:
            sentence = chance.choice(self._sentences)
            sentences.append(sentence + ("\n\n" if chance.random() < 0.25 else " "))
            length += len(sentence)
        return "".join(sentences).strip()

    def _few_words(self, chance: random.Random) -> str:
        return " ".join(_WORD.findall(chance.choice(self._sentences))[: chance.randint(2, 6)]) or "Note"


def _shape(text: str) -> list[int]:
    """The lengths of a note's sections, in characters; short ones together, as headings of their own would cut more."""
    cuts = [0, *(found.start() for found in _HEADING.finditer(text)), len(text)]
    lengths: list[int] = []
    open_length = 0
    for start, end in pairwise(cuts):
        open_length += end - start
        if open_length >= LEAST_SECTION or end == len(text):
            lengths.append(open_length)
            open_length = 0
    return [length for length in lengths if length][:MOST_SECTIONS]


def chunk_count(path: str, text: str) -> int:
    """How many chunks a note has with the default settings."""
    return len(read_note(path, text.encode("utf-8", "replace"), ParserSettings()).chunks)


def _text(vault: Path, path: str) -> str:
    return decode_note((vault / path).read_bytes())


def _key(source: Path, files: Sequence[str], notes: int | None, chunks: int | None) -> str:
    seen = [(path, (status := (source / path).stat()).st_size, status.st_mtime_ns) for path in files]
    said = json.dumps([VERSION, str(source.resolve()), seen, notes, chunks])
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:16]
