"""Test that visits shared among tests are unchanged for each test."""


def test_a_visit_is_shared_until_a_test_goes_on_in_it(opened):
    first = opened("learn")
    opened.begin_test(fixtures=["opened"])
    assert opened("learn") is first
    assert opened("learn", k=7) is not first
    first.main.button[0].click().run()
    opened.begin_test(fixtures=["opened"])
    assert opened("learn") is not first


def test_two_visits_that_a_test_compares_are_two(opened):
    assert opened("learn") is not opened("learn")


def test_where_the_program_is_changed_no_visit_is_shared(opened):
    shared = opened("learn")
    for fixture in ("monkeypatch", "toys", "fresh_visits"):
        opened.begin_test(fixtures=["opened", fixture])
        own = opened("learn")
        assert own is not shared
        opened.begin_test(fixtures=["opened"])
        assert opened("learn") is shared


def test_a_change_by_another_fixture_counts_too(offered, opened, request):
    assert not opened.ALONE.isdisjoint(request.fixturenames)
