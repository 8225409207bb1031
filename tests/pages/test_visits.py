"""Test that visits shared among tests are unchanged for each test."""


def test_a_visit_is_shared_until_a_test_goes_on_in_it_or_opens_it_twice(opened):
    first = opened("learn")
    assert opened("learn") is not first  # two that a test compares are two
    opened.begin_test(fixtures=["opened"])
    first = opened("learn")
    opened.begin_test(fixtures=["opened"])
    assert opened("learn") is first
    assert opened("learn", k=7) is not first
    first.main.button[0].click().run()
    opened.begin_test(fixtures=["opened"])
    assert opened("learn") is not first


def test_where_the_program_is_changed_no_visit_is_shared(offered, opened, request):
    assert not opened.ALONE.isdisjoint(request.fixturenames)  # by another fixture, too
    opened.begin_test(fixtures=["opened"])
    shared = opened("learn")
    for fixture in ("monkeypatch", "toys", "fresh_visits"):
        opened.begin_test(fixtures=["opened", fixture])
        assert opened("learn") is not shared
        opened.begin_test(fixtures=["opened"])
        assert opened("learn") is shared
