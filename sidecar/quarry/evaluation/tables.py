"""How are results shown to a person? As Markdown tables, which read well on a terminal too."""

from collections.abc import Iterable, Mapping, Sequence

from quarry.evaluation.comparison import Comparison, Difference, QueryDifference
from quarry.evaluation.measures import MAIN, means
from quarry.evaluation.prompts import TOLD, ConfidenceReport
from quarry.evaluation.results import kinds_of
from quarry.evaluation.runner import Evaluation

SHOWN_CHANGES = 10
SHOWN_CHARACTERS = 70  # of a query


def overview(evaluations: Sequence[Evaluation], measure: str = MAIN) -> str:
    """A row a collection, a column a system; the last row is the mean over collections."""
    systems = list(evaluations[0].values) if evaluations else []
    rows = [(one.name, len(one.queries), _means(one, systems, measure)) for one in evaluations]
    if len(rows) > 1:
        mean = [sum(column) / len(rows) for column in zip(*(values for _, _, values in rows), strict=True)]
        rows.append(("mean", sum(count for _, count, _ in rows), mean))
    return markdown_table(
        [measure, "queries", *systems], ([name, str(n), *map(_number, values)] for name, n, values in rows)
    )


def confidence(name: str, reports: Mapping[str, ConfidenceReport]) -> str:
    """A row a system: how well confidence separates the prompts of one file."""
    columns = ("AUC", "near misses", "far", "kept at 5 % false", "calibration error", "first hit right")
    return markdown_table(
        [name, "prompts", *columns],
        (
            [
                system,
                str(sum(one.prompts.values())),
                *map(_number, (one.auc, one.auc_near, one.auc_far, one.kept, one.calibration_error, one.precision)),
            ]
            for system, one in reports.items()
        ),
    )


def told(name: str, reports: Mapping[str, ConfidenceReport]) -> str:
    """A row a system and kind of prompt: what people are told, and how many answers are more probable than not."""
    return markdown_table(
        [name, "kind", "prompts", *TOLD, "confidence .5 or more"],
        (
            [system, kind, str(count), *(str(one.told[kind][what]) for what in TOLD), str(one.sure[kind])]
            for system, one in reports.items()
            for kind, count in one.prompts.items()
        ),
        text_columns=(0, 1),
    )


def by_kind(evaluation: Evaluation, measure: str = MAIN) -> str:
    """A row a kind of query, a column a system; empty where there is only one kind."""
    of_system = {system: kinds_of(evaluation, values) for system, values in evaluation.values.items()}
    kinds = next(iter(of_system.values()), {})
    if len(kinds) < 2:
        return ""
    rows = (
        [kind, str(len(rows)), *(_number(means(found[kind])[measure]) for found in of_system.values())]
        for kind, rows in kinds.items()
    )
    return markdown_table([f"{evaluation.name}: {measure}", "queries", *of_system], rows)


def differences(comparison: Comparison, measure: str = MAIN) -> str:
    """A row a collection, and a last row with the mean."""
    every = [*comparison.collections, comparison.overall]
    return markdown_table([measure, "queries", "first", "second", "difference", "p"], map(_difference, every))


def changes(comparison: Comparison, texts: Mapping[tuple[str, str], str], count: int = SHOWN_CHANGES) -> str:
    """The queries with the largest gains and losses; *texts* maps collection and id to the query."""
    parts = []
    for title, rows in (("won", comparison.won), ("lost", comparison.lost)):
        cells = (
            [change.collection, *_scores(change), _short(texts[change.collection, change.query])]
            for change in rows[:count]
        )
        parts.append(
            f"{len(rows)} {title}\n\n"
            + markdown_table(["collection", "first", "second", "query"], cells, text_columns=(0, 3))
        )
    return "\n\n".join(parts)


# --- steps -------------------------------------------------------------------------------------


def _means(evaluation: Evaluation, systems: Sequence[str], measure: str) -> list[float]:
    return [means(evaluation.values[system].values())[measure] for system in systems]


def _difference(row: Difference) -> list[str]:
    return [row.name, str(row.queries), _number(row.first), _number(row.second), f"{row.gain:+.4f}", f"{row.p:.4f}"]


def _scores(change: QueryDifference) -> tuple[str, str]:
    return _number(change.first), _number(change.second)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= SHOWN_CHARACTERS else words[: SHOWN_CHARACTERS - 1] + "…"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Sequence[int] = (0,)) -> str:
    """A table whose *text_columns* are flush left, and the others, which are figures, flush right."""
    cells = [head, *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if column in text_columns else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    rule = "|".join("-" * (w + 2) if c in text_columns else "-" * (w + 1) + ":" for c, w in enumerate(widths))
    return "\n".join([line(cells[0]), f"|{rule}|", *map(line, cells[1:])])
