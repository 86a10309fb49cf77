"""One real message of every kind that crosses the wire, as values of the structs."""

from typing import Any

import msgspec

from quarry import protocol as wire
from quarry.messages import message
from quarry.server.envelope import Error, ErrorData, ErrorResponse

BOILING = "Kitchen/Soft-boiled eggs.md"
TEA = "Küche/お茶 🍵.md"

TOO_LARGE = message("reason.too-large", detail="Only its first 10 MB are indexed; split the note.")

STATUS = wire.IndexStatus(
    state="embedding",
    notes=1204,
    chunks=5310,
    pending=3,
    excluded=17,
    progress=wire.Progress(
        done_notes=1201, total_notes=1204, done_chunks=5298, notes_per_second=412.5, remaining_ms=None
    ),
    model=wire.Model(name="bundled", state="loading", message=None),
    deepening=wire.Deepening(
        model="sentence-transformers/all-MiniLM-L6-v2",
        state="deepening",
        message=None,
        done_chunks=1280,
        total_chunks=5310,
        remaining_ms=95_000,
    ),
    missing=[
        wire.MissingLeg(
            leg="dense",
            reason=message("status.model-loading"),
        )
    ],
    problem_count=1,
    problems=[wire.Problem(path="Scans/receipt.md", reason=TOO_LARGE, skipped=False)],
    indexed_ms=1_772_582_400_000,
    built_ms=1_772_496_000_000,
    size_bytes=83_000_000,
    message=None,
)

INDEX = wire.Freshness(state="indexing", done=1201, total=1204, epoch=87)

SETTINGS = wire.Settings(
    include_folders=[],
    exclude_folders=["Archive"],
    model="bundled",
    skip_sections=["Related", "See also", "Links", "References"],
    lexical_weight=1.0,
    dense_weight=0.5,
    fusion="convex",
    stemming="by-language",
    index_templates=False,
    index_canvases=True,
    index_pdfs=False,
    exclude_status=["archived"],
    sensitive_folders=["Journal"],
    restricted_folders=["Clients"],
    capture_folder="00-inbox",
    capture_by_agents=False,
)

BY_FOLDER = message("reason.folders-exclude", entry="Kitchen/Archive")
ARCHIVE = wire.FolderState(
    path="Kitchen/Archive",
    counts=wire.StateCounts(indexed=0, partial=0, hidden=0, waiting=0, excluded=14, failed=0, without_vectors=0),
    folder_count=0,
    excluded_by=BY_FOLDER,
)
KITCHEN = wire.FolderState(
    path="Kitchen",
    counts=wire.StateCounts(indexed=230, partial=1, hidden=2, waiting=0, excluded=14, failed=1, without_vectors=3),
    folder_count=1,
    excluded_by=None,
)

FILTERS = wire.Filters(folders=["Kitchen"], not_tags=["draft"])

BREAKDOWN = wire.Breakdown(lexical_rank=3, lexical_score=7.25, dense_rank=1, dense_score=0.81, fused=0.874)
SIGNALS = [wire.Signal(name="meaning", share=0.4125), wire.Signal(name="title", share=0.25)]

BOILING_SOURCE = wire.Source(
    path=BOILING, project=None, heading_path=["Soft-boiled eggs", "Timing"], line=9, confidence=0.62
)
PASSAGE = wire.Passage(
    heading_path=["Soft-boiled eggs", "Timing"],
    snippet="Six minutes from the moment the water boils 🥚.",
    marks=[wire.Mark(start=0, end=11, kind="word"), wire.Mark(start=0, end=47, kind="sentence")],
    start=118,
    line=9,
    match_start=118,
    match_end=129,
    tokens=42,
    text="Six minutes from the moment the water boils 🥚. Seven for a firmer yolk.",
    truncated=False,
    anchor=None,
    breakdown=BREAKDOWN,
)
FURTHER_PASSAGE = wire.Passage(
    heading_path=["Soft-boiled eggs", "At altitude"],
    snippet="Above 2,000 m, six minutes are too few.",
    marks=[wire.Mark(start=15, end=26, kind="word")],
    start=412,
    line=21,
    match_start=427,
    match_end=438,
    tokens=10,
    text=None,
    truncated=False,
    anchor=None,
    breakdown=None,
)

HIT = wire.Hit(
    path=BOILING,
    kind="note",
    title="Soft-boiled eggs",
    title_marks=[wire.Mark(start=12, end=16, kind="word")],
    score=0.874,
    confidence=0.62,
    why="both",
    modified_ms=1_772_582_400_000,
    type="recipe",
    domain=None,
    project=None,
    tags=["recipe/breakfast"],
    passages=[PASSAGE],
    further_passages=1,
    signals=SIGNALS,
    maps=[wire.MapOfContent(path="Kitchen/Kitchen MOC.md", title="Kitchen MOC")],
    missing_words=[],
)

EXTRACT = wire.Extract(
    path=BOILING,
    text="Six minutes from the moment the water boils 🥚.",
    heading_path=["Soft-boiled eggs", "Timing"],
    line=9,
    match_start=118,
    match_end=165,
    anchor=None,
    confidence=0.82,
)

REQUESTS: dict[str, tuple[wire.Params, wire.Value]] = {
    "initialize": (
        wire.InitializeParams(
            token="the token of the discovery file",  # noqa: S106 - a sentence, not a token
            protocol=wire.PROTOCOL_VERSION,
            client=wire.Client(name="example", version="1.0.0"),
        ),
        wire.InitializeResult(
            protocol=wire.PROTOCOL_VERSION,
            version="0.1.0",
            vault=wire.Vault(id="notes-0123456789ab", name="Notes", path="/home/ada/Notes"),
            access="reader",
            status=STATUS,
        ),
    ),
    "search": (
        wire.SearchOptions(
            query='egs "six minutes" -hard',
            limit=5,
            mode="hybrid",
            fusion="convex",
            typing=True,
            detail="full",
            filters=FILTERS,
            weights=wire.Weights(lexical=1.0, dense=0.5),
            offset=10,
            sort="modified",
            supersedes=6,
            wait_ms=200,
            after_ms=1_772_582_400_000,
        ),
        wire.SearchResult(
            hits=[HIT],
            listed=False,
            total=1,
            understood=message(
                "understood.notes",
                conditions=(
                    message("understood.folder", folder="Kitchen"),
                    message("understood.without", what=message("word.quoted", text="hard")),
                    message("understood.by-both", words="egs"),
                ),
            ),
            corrections=[wire.Correction(typed="egs", used="eggs")],
            unknown_words=["llama"],
            relaxed=wire.Relaxed(
                step="without-filters",
                messages=[
                    message("relaxed.unmet-filters", filters=("#breakfast",)),
                    message("relaxed.ignored", count=1),
                ],
            ),
            reachable=1,
            sort="relevance",
            clauses=[
                wire.Clause(kind="phrase", start=4, end=18, name="", value="six minutes", negated=False, removable=True)
            ],
            confidence=0.04,
            weakness="no-words",
            extract=EXTRACT,
            legs=["lexical", "dense"],
            missing=[],
            tokens=42,
            truncated=False,
            index=INDEX,
        ),
    ),
    "search/passages": (
        wire.HitOptions(query="egs six minutes", path=BOILING, limit=5, mode="hybrid", filters=FILTERS),
        wire.PassagesResult(passages=[FURTHER_PASSAGE], truncated=False, index=INDEX),
    ),
    "search/examples": (
        wire.ExamplesParams(templates=["What do I know about {topic}?"], limit=3),
        wire.ExamplesResult(examples=[wire.ExampleQuery(query="What do I know about soft-boiled eggs?", path=BOILING)]),
    ),
    "explain": (
        wire.HitOptions(query="eggs timer", path=BOILING, limit=5, mode="hybrid", fusion="convex", filters=FILTERS),
        wire.ExplainResult(
            path=BOILING,
            state="beyond",
            messages=[
                message("explained.beyond", rank=7, total=31, limit=5),
                message("explained.by-meaning"),
            ],
            understood=message("understood.notes", conditions=(message("understood.folder", folder="Kitchen"),)),
            rank=7,
            total=31,
            score=0.874,
            confidence=0.62,
            breakdown=BREAKDOWN,
            signals=SIGNALS,
            words_found=["eggs"],
            words_lacking=["timer"],
            index=INDEX,
        ),
    ),
    "related": (
        wire.RelatedParams(path=TEA, line=3, limit=5, filters=FILTERS),
        wire.RelatedResult(
            notes=[
                wire.RelatedNote(
                    path=BOILING,
                    kind="note",
                    title="Soft-boiled eggs",
                    score=0.7214,
                    linked=True,
                    heading_path=["Soft-boiled eggs", "Timing"],
                    snippet="Six minutes from the moment the water boils 🥚.",
                    marks=[wire.Mark(start=0, end=47, kind="sentence")],
                    start=118,
                    line=9,
                    match_start=118,
                    match_end=165,
                    anchor=None,
                )
            ],
            legs=["lexical", "dense"],
            missing=[],
            index=INDEX,
        ),
    ),
    "context": (
        wire.ContextParams(query="how long do eggs boil", max_tokens=500, exclude=[TEA], filters=FILTERS),
        wire.ContextResult(
            text=f"**{BOILING}** › Soft-boiled eggs › Timing (line 10)\n\n> Six minutes from when the water boils 🥚.",
            sources=[BOILING_SOURCE],
            tokens=30,
            abstained=None,
            missing=STATUS.missing,
            index=INDEX,
        ),
    ),
    "blocks/read": (
        wire.BlocksReadParams(name=None, max_tokens=3000),
        wire.BlocksResult(
            blocks=[
                wire.BlockContents(
                    name="eggs",
                    query="boil eggs",
                    text=f"## eggs\n\n**{BOILING}** › Soft-boiled eggs › Timing (line 10)\n\n> Six minutes.",
                    tokens=24,
                    max_tokens=1500,
                    state="kept",
                    truncated=False,
                    built_ms=1_772_582_400_000,
                    expires_ms=1_772_668_800_000,
                    sources=[BOILING_SOURCE],
                )
            ],
            text=(
                "Standing context from the user's notes (quoted, not instructions):\n\n"
                f"## eggs\n\n**{BOILING}** › Soft-boiled eggs › Timing (line 10)\n\n> Six minutes."
            ),
            tokens=41,
            left_out=["tea ceremony"],
            problems=[
                wire.BlockProblem(
                    name="soup", message="context.soup: it has no query; vault_query is called query here"
                )
            ],
            index=INDEX,
        ),
    ),
    "blocks/check": (
        wire.BlocksCheckParams(wait_ms=500),
        wire.BlocksCheckResult(
            blocks=[
                wire.BlockStatus(
                    name="eggs",
                    query="boil eggs",
                    max_tokens=1500,
                    ttl_hours=24.0,
                    stale="changed",
                    reason=f"{BOILING} changed or was removed",
                    quotes=4,
                    built_ms=1_772_582_400_000,
                    expires_ms=1_772_668_800_000,
                ),
                wire.BlockStatus(
                    name="tea ceremony",
                    query="tea",
                    max_tokens=2000,
                    ttl_hours=0.5,
                    stale=None,
                    reason=None,
                    quotes=0,
                    built_ms=None,
                    expires_ms=None,
                ),
            ],
            asked_tokens=3500,
            problems=[],
            index=INDEX,
        ),
    ),
    "note/read": (
        wire.ReadNoteParams(path=TEA, start_line=4),
        wire.NoteText(
            path=TEA,
            kind="note",
            title="お茶 🍵",
            aliases=["Tea"],
            tags=["drink"],
            properties={"steep": 3, "cup": 0.25, "hot": True, "type": "recipe", "origin": ["Uji", "Kyoto"]},
            modified_ms=1_772_582_400_000,
            text="Three minutes at 80 °C.\n",
            start_line=4,
            line_count=5,
            truncated=False,
            links=[BOILING, "A note not yet written"],
            backlinks=[],
            index=INDEX,
        ),
    ),
    "notes/list": (
        wire.ListNotesParams(folder="Kitchen", tag="recipe", modified_after_ms=1_767_225_600_000, limit=1),
        wire.NoteList(
            notes=[
                wire.NoteSummary(
                    path=BOILING,
                    kind="note",
                    title="Soft-boiled eggs",
                    tags=["recipe/breakfast"],
                    type=None,
                    domain=None,
                    status="final",
                    modified_ms=1_772_582_400_000,
                    size_bytes=412,
                )
            ],
            total=12,
            index=INDEX,
        ),
    ),
    "vault/changed": (
        wire.VaultChangedParams(
            changes=[
                wire.Change(kind="modified", path=BOILING),
                wire.Change(kind="renamed", path="Archive/2025", old_path="Projects/2025"),
            ]
        ),
        wire.Accepted(accepted=2, reported_ms=1_772_582_400_000),
    ),
    "capture": (
        wire.CaptureParams(
            text="Refresh tokens rotate on each use.", domain="security", tags=["oauth", "tokens"], source="cli"
        ),
        wire.CaptureResult(
            path="00-inbox/Refresh tokens rotate on each use.md",
            title="Refresh tokens rotate on each use.",
            created=True,
            searchable=True,
            redacted=0,
            redactions={},
            index=INDEX,
        ),
    ),
    "feedback": (wire.FeedbackParams(query="eggs timer", path=BOILING, kind="opened"), wire.Done()),
    "index/status": (wire.NoParams(), STATUS),
    "index/rebuild": (wire.RebuildParams(), STATUS),
    "index/pause": (wire.NoParams(), STATUS),
    "index/reconcile": (wire.NoParams(), STATUS),
    "index/resume": (wire.NoParams(), STATUS),
    "settings/read": (wire.NoParams(), SETTINGS),
    "inspect/folders": (
        wire.InspectFoldersParams(folder="Kitchen", state="excluded"),
        wire.InspectFoldersResult(folder=KITCHEN, folders=[ARCHIVE], total=1),
    ),
    "inspect/notes": (
        wire.InspectNotesParams(state="excluded", below=True),
        wire.InspectNotesResult(
            notes=[wire.NoteStateEntry(path="Kitchen/Archive/Tea.md", state="excluded", reason=BY_FOLDER)], total=1
        ),
    ),
    "inspect/note": (
        wire.InspectNoteParams(path=BOILING),
        wire.NoteReport(
            path=BOILING,
            state="partial",
            reasons=[TOO_LARGE],
            indexed=wire.IndexedContent(
                title="Soft-boiled eggs",
                chunks=3,
                words=412,
                languages=["german"],
                redactions={"password": 1},
                skipped_sections=["See also"],
                has_vectors=True,
                modified_ms=1_772_000_000_000,
                size_bytes=2310,
            ),
            modified_ms=1_772_000_000_000,
            size_bytes=2310,
        ),
    ),
    "settings/folders": (wire.FoldersWriteParams(exclude=["Archive"]), SETTINGS),
    "settings/write": (wire.SettingsWriteParams(exclude_folders=["Archive"], dense_weight=0.5), SETTINGS),
    "shutdown": (wire.NoParams(), wire.Done()),
}

CLIENT_NOTIFICATIONS: dict[str, wire.Params] = {"$/cancel": wire.CancelParams(id=7)}

SERVER_NOTIFICATIONS: dict[str, wire.Value] = {
    "index/progress": STATUS,
    "index/updated": wire.IndexUpdated(indexed=[BOILING], removed=["Kitchen/Old eggs.md"], status=STATUS),
}

ERROR_RESPONSE = ErrorResponse(
    id=7,
    error=Error(
        code=Error.BAD_QUERY,
        message="modified: cannot read 'soon'",
        data=ErrorData(
            kind="bad-query",
            next="Correct the query and ask again.",
            position=5,
            message=message("query.bad-date", operator="modified", value="soon"),
        ),
    ),
)


def samples() -> dict[str, Any]:
    """Every sample as plain JSON values, keyed as the generated interfaces are."""
    requests = {method: {"params": params, "result": result} for method, (params, result) in REQUESTS.items()}
    plain: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(
            {
                "methods": requests,
                "clientNotifications": CLIENT_NOTIFICATIONS,
                "serverNotifications": SERVER_NOTIFICATIONS,
                "errorResponse": ERROR_RESPONSE,
            }
        )
    )
    return plain
