"""When an index is compacted."""

from quarry.indexing.maintenance import QUIET_S, REST, IdleSchedule


def test_without_a_change_nothing_is_due():
    assert not IdleSchedule().is_due(1e9)


def test_a_change_is_tidied_up_after_when_nobody_saves_for_a_while():
    care = IdleSchedule()
    care.changed(10.0)
    care.changed(12.0)

    assert not care.is_due(12.0 + QUIET_S - 0.1)
    assert care.is_due(12.0 + QUIET_S)


def test_once_taken_it_is_not_due_before_the_next_change():
    care = IdleSchedule()
    care.changed(0.0)
    care.taken(10.0, 10.0, is_done=True)

    assert not care.is_due(1e9)


def test_what_took_long_is_not_done_again_soon():
    care = IdleSchedule()
    care.changed(0.0)
    care.taken(10.0, 12.0, is_done=True)
    care.changed(13.0)

    assert not care.is_due(12.0 + 2 * REST - 0.1)
    assert care.is_due(12.0 + 2 * REST)


def test_what_could_not_be_done_is_tried_again_and_rests_before_as_well():
    care = IdleSchedule()
    care.changed(0.0)
    care.taken(10.0, 12.0, is_done=False)

    assert not care.is_due(12.0 + 2 * REST - 0.1)
    assert care.is_due(12.0 + 2 * REST)
