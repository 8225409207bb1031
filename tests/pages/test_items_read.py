"""Test the sweep over the number of items read, for mechanisms that read only some."""

from dptopk import LimitedDomain, load_dataset, summarize, sweep


def test_items_read_are_swept_at_the_shared_settings(opened):
    query = {"mechanisms": "Joint,LimitedDomain", "against": "k_bar", "runs_a_point": "5"}
    visit = opened("sweep", metric="items_right", **query).whole()
    trials = sweep(
        load_dataset("games"),
        [LimitedDomain(10, 1.0, 1e-6)],
        "k_bar",
        [10, 15, 20, 30, 50, 80, 150, 300, 600],
        n=5,
        seed=0,
    )
    table = visit.table()
    assert list(table) == ["items read", "Limited domain"]
    assert table["items read"].tolist() == trials["k_bar"].unique().tolist()
    medians = summarize(trials, "items_right")["median"]
    assert [text.split()[0] for text in table["Limited domain"]] == [f"{m:g}" for m in medians]
    assert any(words.startswith("Number of items read") for words in visit.said)
    assert "k_bar" in visit.told()[0]["found"].trials


def test_items_read_are_not_offered_where_all_mechanisms_read_everything(opened):
    visit = opened("sweep", mechanisms="Joint", runs_a_point="1").whole()
    (against,) = (group for group in visit.app.button_group if group.key == "against")
    assert "items read" not in against.options
