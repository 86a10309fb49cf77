"""When an index is compacted."""

from quarry.indexing.maintenance import QUIET_S, REST, IdleSchedule


def test_without_a_change_nothing_is_due():
    assert not IdleSchedule().is_due(1e9)


def test_a_change_is_compacted_away_when_nothing_is_saved_for_a_while():
    schedule = IdleSchedule()
    schedule.changed(10.0)
    schedule.changed(12.0)

    assert not schedule.is_due(12.0 + QUIET_S - 0.1)
    assert schedule.is_due(12.0 + QUIET_S)


def test_once_compacted_it_is_not_due_before_the_next_change():
    schedule = IdleSchedule()
    schedule.changed(0.0)
    schedule.compacted(10.0, 10.0, is_done=True)

    assert not schedule.is_due(1e9)


def test_what_took_long_is_not_done_again_soon():
    schedule = IdleSchedule()
    schedule.changed(0.0)
    schedule.compacted(10.0, 12.0, is_done=True)
    schedule.changed(13.0)

    assert not schedule.is_due(12.0 + 2 * REST - 0.1)
    assert schedule.is_due(12.0 + 2 * REST)


def test_what_could_not_be_done_is_tried_again_and_rests_before_as_well():
    schedule = IdleSchedule()
    schedule.changed(0.0)
    schedule.compacted(10.0, 12.0, is_done=False)

    assert not schedule.is_due(12.0 + 2 * REST - 0.1)
    assert schedule.is_due(12.0 + 2 * REST)
