"""The states of notes on the wire."""

from quarry.indexing.reasons import Reason
from quarry.inspection.coverage import CoveredFolder, CoveredNote, StateCounts
from quarry.inspection.inspector import FolderPage, NoteStates
from quarry.inspection.note_report import NoteReport
from quarry.protocol import NoteState, ReportState
from quarry.server import encode as translate
from quarry.vault.rules import Refusal

KEY = "gh" + "p_" + "Ab1Cd2" * 6


def test_a_folder_carries_its_counts_and_the_setting_that_leaves_it_out():
    folder = CoveredFolder("a", StateCounts(indexed=1, failed=2), 3)
    refusal = Refusal("folders.exclude", "folders.exclude names 'a'", "a")

    result = translate.folder_states(FolderPage(folder, None, ((folder, refusal),), 1))

    assert result.folder.excluded_by is None
    assert result.folders[0].excluded_by.entry == "a"
    assert (result.folders[0].counts.failed, result.folders[0].folder_count) == (2, 3)


def test_credentials_in_a_reason_are_blanked_and_a_path_of_odd_bytes_can_be_sent():
    note = CoveredNote("a.md", "partial", Reason("front-matter", f"Line 2 could not be read: {KEY}."))
    report = NoteReport("\udcff.md", "unknown", (Reason("unknown", "There is no note '\udcff.md'."),), None, None, None)

    assert KEY not in translate.note_states(NoteStates((note,), 1)).notes[0].reason.message
    translate.note_report(report).path.encode()


def test_the_wire_knows_every_state():
    from quarry.inspection import coverage, note_report

    assert coverage.NoteState == NoteState
    assert set(note_report.ReportState.__args__[0].__args__) | {"unknown"} == set(ReportState.__args__)
