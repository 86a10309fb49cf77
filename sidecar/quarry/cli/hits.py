"""Hits of a search as text: for a person, for a document, or one line each for other programs."""

from collections.abc import Iterator, Sequence

from quarry import protocol as wire
from quarry.cli.terminal import bold, counted, dim, marked, print_line
from quarry.messages import message, sentences
from quarry.redaction.sanitize import code_span, inert, one_line, path_line

NAMED_WORDS = 4  # that a note lacks, on its line; a long question has more


def signal_name(signal: wire.Signal) -> str:
    """The label of a signal; one that only a newer sidecar knows keeps its own name."""
    return str(message(f"signal.{signal.name}")).removeprefix("signal.")


def shares(signals: Sequence[wire.Signal], total: float) -> str:
    """The shares of all signals and their total, on one line."""
    return f"{' + '.join(f'{signal_name(one)} {one.share:.3f}' for one in signals)} = {total:.3f}"


def _joined(words: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def print_how(result: wire.SearchResult, *, why: bool) -> None:
    """Print how the query was corrected or relaxed; with *why*, how it was interpreted."""
    if why:
        print_line(dim(f"interpreted as: {result.understood}"))
    if result.remarks:
        print_line(sentences(result.remarks))


def print_hits(result: wire.SearchResult, *, full: bool, why: bool) -> None:
    """Print each hit with its best passage; with *full* with all of them, with *why* with what its score is made of."""
    for place, hit in enumerate(result.hits, start=1):
        facts = [path_line(hit.path), *_origin(hit), *_evidence(hit)]
        print_line(f"{place:>2}. {bold(path_line(hit.title))}  {dim(' · '.join(facts))}")
        for passage in hit.passages if full else hit.passages[:1]:
            print_heading_trail(passage.heading_path, hit.title)
            _show_passage(passage, full=full)
        if why and not result.listed:
            print_line(dim(f"    {_because(hit)}"))


def _origin(hit: wire.Hit) -> Iterator[str]:
    """The tier of a hit that is not of the vault that was asked."""
    if isinstance(hit, wire.TierHit) and hit.origin.kind != "home":
        yield f"in {path_line(hit.origin.name)} ({hit.origin.kind})"


def _place(hit: wire.Hit) -> str:
    """The path of a hit as the vault has it; that of another tier whole, or behind its name."""
    if not isinstance(hit, wire.TierHit) or hit.origin.kind == "home":
        return hit.path
    return f"{hit.origin.path}/{hit.path}" if hit.origin.path else f"{hit.origin.name}:{hit.path}"


def _evidence(hit: wire.Hit) -> Iterator[str]:
    """The retrievers that found a hit, the words it lacks, its confidence; nothing for notes that are only listed."""
    if hit.matched_by is None:
        return
    yield "words and meaning" if hit.matched_by == "both" else hit.matched_by
    if hit.missing_words and hit.matched_by != "meaning":  # which holds none
        yield f"without {_few(hit.missing_words)}"
    yield f"confidence {hit.confidence:.2f}"


def _few(words: Sequence[str]) -> str:
    """The first of *words*, and how many more there are."""
    more = len(words) - NAMED_WORDS
    return _joined(words, "or") if more <= 1 else f"{', '.join(words[:NAMED_WORDS])} and {more} more"


def print_heading_trail(headings: Sequence[str], title: str) -> None:
    """Print the headings above a passage, without the first where it repeats the title."""
    trail = headings[1:] if headings[:1] == [title] else headings
    if trail:
        print_line(dim(f"    {' › '.join(trail)}"))


def _show_passage(passage: wire.Passage, *, full: bool) -> None:
    if not full:
        print_line(f"    {marked(passage.snippet, passage.marks)}")
        return
    for line in (passage.text or "").split("\n"):
        print_line(f"    {line}")
    place, scores = f"    line {passage.line + 1}", passage.breakdown
    print_line(dim(f"{place} · {_ranks(scores)} · fused {scores.fused:.4f}" if scores else place))


def _because(hit: wire.Hit) -> str:
    """Why a hit ranks where it does: its signals, or its ranks where only they count."""
    if hit.signals and hit.score is not None:
        return shares(hit.signals, hit.score)
    scores = hit.passages[0].breakdown
    return f"{_ranks(scores)} · fused {scores.fused:.4f}" if scores else ""


def _ranks(scores: wire.Breakdown) -> str:
    return f"keyword rank {scores.keyword_rank or '-'}, meaning rank {scores.dense_rank or '-'}"


def summary(result: wire.SearchResult) -> str:
    """How many notes contain the words, and how many are shown."""
    if not result.hits:
        return "nothing found"
    shown = len(result.hits)
    if shown > result.total:
        return f"{counted(result.total, 'note')} with every word, {shown} shown"
    return f"{f'{shown} of ' if shown < result.total else ''}{counted(result.total, 'note')}"


def print_paths(result: wire.SearchResult) -> None:
    """Print the path of each hit."""
    for hit in result.hits:
        print_line(path_line(_place(hit)))


def print_compact(result: wire.SearchResult) -> None:
    """Print `path:line: snippet` for each hit, as grep does; editors jump to such places."""
    for hit in result.hits:
        passage = hit.passages[0]
        print_line(f"{path_line(_place(hit))}:{passage.line + 1}: {' '.join(passage.snippet.split())}")


def print_markdown(result: wire.SearchResult) -> None:
    """Print the hits as Markdown: a heading for each, its place, and its passages as quotes."""
    for number, hit in enumerate(result.hits):
        print_line(f"{'' if number == 0 else chr(10)}### {one_line(hit.title)}")
        for passage in hit.passages:
            headings = passage.heading_path[1:] if passage.heading_path[:1] == [hit.title] else passage.heading_path
            place = " › ".join([code_span(_place(hit)), *map(one_line, headings)])
            print_line(f"\n{place} (line {passage.line + 1})\n")
            for line in inert((passage.text or passage.snippet).strip()).split("\n"):
                print_line(f"> {line}".rstrip())
