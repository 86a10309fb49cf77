"""The states of notes on the wire."""

from quarry.inspection.coverage import CoveredFolder, CoveredNote, StateCounts
from quarry.inspection.inspector import FolderPage, NoteStates
from quarry.inspection.note_report import NoteReport
from quarry.messages import message
from quarry.protocol import NoteState, ReportState
from quarry.server import encode as translate

KEY = "gh" + "p_" + "Ab1Cd2" * 6


def test_a_folder_carries_its_counts_and_the_setting_that_leaves_it_out():
    folder = CoveredFolder("a", StateCounts(indexed=1, failed=2), 3)
    refusal = message("reason.folders-exclude", entry="a")

    result = translate.folder_states(FolderPage(folder, None, ((folder, refusal),), 1))

    assert result.folder.excluded_by is None
    assert result.folders[0].excluded_by == message("reason.folders-exclude", entry="a")
    assert (result.folders[0].counts.failed, result.folders[0].folder_count) == (2, 3)


def test_credentials_in_a_reason_are_blanked_and_a_path_of_odd_bytes_can_be_sent():
    note = CoveredNote("a.md", "partial", message("reason.front-matter", detail=f"Line 2 could not be read: {KEY}."))
    report = NoteReport("\udcff.md", "unknown", (message("reason.unknown", path="\udcff.md"),), None, None, None)

    assert KEY not in translate.note_states(NoteStates((note,), 1)).notes[0].reason.args["detail"]
    translate.note_report(report).path.encode()


def test_the_wire_knows_every_state():
    from quarry.inspection import coverage, note_report

    assert coverage.NoteState == NoteState
    assert set(note_report.ReportState.__args__[0].__args__) | {"unknown"} == set(ReportState.__args__)
