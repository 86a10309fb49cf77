from quarry.options import Filters, HitOptions, SearchOptions, Weights, scope_of


def test_a_snippet_is_as_wide_as_requested_or_as_the_detail_wants():
    wide = SearchOptions(query="q", snippet_width=240)
    scan, full = SearchOptions(query="q"), SearchOptions(query="q", detail="full")

    assert [options.width for options in (wide, scan, full)] == [240, 120, 300]


def test_weights_that_are_not_given_are_those_of_the_vault():
    settings = {"keyword": 0.5, "dense": 2.0}

    assert SearchOptions(query="q").weights_or(settings) == settings
    assert SearchOptions(query="q", weights=Weights(keyword=2.0)).weights_or(settings) == {"keyword": 2.0, "dense": 1.0}


def test_a_scope_has_the_filters_and_a_condition_for_each_excluded_status():
    scope = scope_of(Filters(folders=("A",), not_tags=("f",)), ("done",))

    assert scope.folders == ("A",)
    assert scope.not_tags == ("f",)
    assert len(scope.conditions) == 3
    assert len(scope_of(scope, ()).conditions) == 2


def test_a_hit_has_all_options_of_its_search():
    assert {*SearchOptions.__struct_fields__} < {*HitOptions.__struct_fields__}
