from quarry import __version__
from quarry.bench.machine import describe


def test_a_result_tells_what_ran_and_where_without_naming_anyone():
    told = describe()

    assert told["quarry"] == __version__
    assert told["cores"] >= 1
    assert {"apsw", "numpy"} <= told["packages"].keys()
    assert told.keys() == {
        "quarry", "commit", "python", "system", "processor", "cores", "load", "packages", "when"
    }  # fmt: skip
