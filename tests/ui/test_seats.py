"""How many sessions may be open: every one is counted, and who finds no seat is told why."""

import pytest

from dptopk.ui.seats import OF_A_CLIENT, OF_ALL, Seats

OF_CLIENT = "2 sessions are open from your address:\nclose one, and this page opens."
OF_ALL_WORDS = "\n".join(
    [
        "3 sessions are open, as many as this",
        "server holds: as soon as one is",
        "closed, this page opens.",
    ]
)


def test_one_client_and_all_together_have_so_many_and_no_more():
    seats = Seats(2, 3)
    for _ in range(2):
        assert seats.refusal("192.0.2.1") == ""
        seats.take("192.0.2.1")
    assert seats.refusal("192.0.2.1") == OF_CLIENT
    assert seats.refusal("192.0.2.2") == ""
    seats.take("192.0.2.2")
    assert seats.refusal("192.0.2.2") == OF_ALL_WORDS
    seats.leave("192.0.2.1")
    assert seats.refusal("192.0.2.1") == seats.refusal("192.0.2.2") == ""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),  # one connection has a whole network
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "192.0.2.2", False),
        ("", "", True),  # a socket of the system
    ],
)
def test_a_client_is_who_has_the_address(one, other, same):
    seats = Seats(1, 9)
    seats.take(one)
    assert bool(seats.refusal(other)) is same


def test_the_environment_says_how_many():
    def both(**given):
        seats = Seats.of_environment(given)
        return seats._of_a_client, seats._of_all

    assert both() == (OF_A_CLIENT, OF_ALL)
    assert both(DPTOPK_SESSIONS_OF_CLIENT="3", DPTOPK_SESSIONS="50") == (3, 50)
    for wrong in ("0", "-1", "", "many", "٣", "1.5"):
        with pytest.raises(ValueError, match="DPTOPK_SESSIONS must be a number from 1 on, got"):
            both(DPTOPK_SESSIONS=wrong)
