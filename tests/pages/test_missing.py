"""Test that missing, unreadable or few data are reported in a sentence and can be corrected."""

import shutil

import pytest

from dptopk.data import datasets
from dptopk.questions import settings
from dptopk.ui.layout.pages import PAGES


def first_and_grid(pages):
    """Return the keys of pages, of which each run takes the first, and of others a tenth."""
    first, *others = (page.key for page in pages)
    return [first, *(pytest.param(key, marks=pytest.mark.grid) for key in others)]


EVERY = first_and_grid(PAGES)
ALONE = first_and_grid(page for page in PAGES if not page.mechanisms)
OTHERS = first_and_grid(page for page in PAGES if page.mechanisms)
WITHOUT = ("exact", "classroom", "privacy", "papers", "learn")  # they show other data first


@pytest.fixture
def other_files(monkeypatch, tmp_path):
    """Bundled data elsewhere, which can be spoiled: their folder."""

    def forget():
        for remembered in (datasets._read_provenance, datasets._load):
            remembered.cache_clear()

    folder = tmp_path / "sample_data"
    shutil.copytree(datasets.data_folder(), folder)
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "dptopk" / "data" / "datasets.py"))
    forget()
    yield folder
    forget()


@pytest.mark.parametrize("page", EVERY)
def test_bundled_data_that_are_missing_are_said_and_others_can_be_chosen(opened, other_files, page):
    (other_files / "games.csv").unlink()
    headline, sentence = opened(page).problem()
    assert "cannot be shown" in headline
    assert "games.csv is neither at" in sentence


def test_bundled_data_that_are_damaged_are_said_and_others_shown(opened, other_files):
    with (other_files / "games.csv").open("ab") as file:
        file.write(b"one more,1\n")
    visit = opened("release")
    assert "games.csv has been" in visit.problem()[1]
    visit.line.selectbox(key="data").select("books").run()
    assert visit.whole().address == {"data": "books", "epsilon": "0.1", "picture": "outcomes"}
    (other_files / "provenance.toml").write_text("nothing")
    datasets._read_provenance.cache_clear()
    assert "toml has been changed" in opened("release").problem()[1]
    opened("release", data="classroom-ten_steps").whole()


@pytest.mark.parametrize("page", ALONE)
def test_pages_that_need_no_mechanism_do_without(opened, page):
    assert opened(page, mechanisms="").whole().address == {"mechanisms": ""}


@pytest.mark.parametrize("page", OTHERS)
def test_no_mechanism_is_said(opened, page):
    visit = opened(page, mechanisms="", k="many")
    assert visit.exceptions() == []
    assert "Choose a mechanism to see its answer." in [words.value for words in visit.main.markdown]
    # the page ended early, and its address is put right all the same
    assert visit.address == {"mechanisms": ""}
    assert ["k=many" in sentence for sentence in visit.complaints] == [True]
    (place,) = (one for one in PAGES if one.key == page)
    assert visit.press("take-usual").address == ({} if place.small else {"epsilon": "1"})


TYPED = {"data": "typed", "typed": "apple 3\n![](https://example.com) x"}
PLATEAUS = {"data": "synthetic-two_plateaus", "two_plateaus_high": 5, "two_plateaus_low": 9}
LEAVES = {"who": "chosen", "held": "1,2", "joins": "leaves"}
OF_ONE = {"mechanisms": "Laplace", "max_items": 1, "vector": "9 5 3"}
SWAP = {"neighbors": "swap", "vector": "1 2 3 4 5 6 7"}


@pytest.mark.parametrize(
    ("page", "query", "headline", "sentence"),
    [
        ("release", TYPED, "could not be read", "Line 2"),  # others: data/ingest/test_typed.py
        ("exact", {"vector": ""}, "could not be read", "Nothing was typed"),
        ("privacy", {"vector": "apple"}, "could not be read", '"apple" is not a number'),
        ("privacy", {"vector": "1 2 3 4 5 6 7 8 9"}, "Too many items here", "keep at most 8."),
        ("privacy", SWAP, "Too many items here", "7 items have too many neighbours to list"),
        (
            "privacy",
            LEAVES | {"vector": "9 0"},
            "This user cannot leave",
            "holds B: its count is 0",
        ),
        ("privacy", LEAVES | OF_ONE, "No guarantee", "at most 1 item: choose"),
        ("release", PLATEAUS, "", "at most high (5), got 9"),
        ("ledger", {"delta": "0"}, "can be asked here", "delta must be above 0"),
    ],
)
def test_what_cannot_be_shown_as_it_is_asked_is_said(opened, page, query, headline, sentence):
    for said, shown in zip((headline, sentence), opened(page, **query).problem(), strict=True):
        assert said in shown


@pytest.mark.parametrize("page", first_and_grid(page for page in PAGES if page.key not in WITHOUT))
def test_data_that_cannot_be_shown_are_said_on_every_page(opened, page):
    for query, headline, words in (
        ({"data": "upload"}, "The file is not in this session", "are not part of a link"),
        ({"data": "typed", "typed": "5 -3"}, "These counts could not be read", '"-3"'),
    ):
        said, sentence = opened(page, **query).problem()
        assert said == headline
        assert words in sentence


@pytest.mark.parametrize("page", WITHOUT)
def test_data_that_a_page_does_not_show_need_not_be_there(opened, page):
    visit = opened(page, data="upload", users=1_000).whole()
    assert visit.address["data"] == "upload"
    words = [one.value for one in (*visit.app.markdown, *visit.app.caption, *visit.app.warning)]
    assert "1,000 users are too few" not in " ".join(words)  # for other data


def test_a_lesson_goes_on_without_the_file_and_says_so(opened):
    visit = opened("learn", data="upload", lesson=3, revealed=3).whole()
    assert "Your file is not in this session: upload it" in visit.words


@pytest.mark.parametrize("who", ["worst", "chosen"])
def test_the_largest_count_accepted_breaks_no_page_though_no_user_can_join(opened, who):
    visit = opened("privacy", vector="9007199254740992 5", who=who)
    assert visit.exceptions() == []
    if who == "chosen":
        assert visit.problem()[0] == "This user cannot join"


def test_after_counts_that_could_not_be_read_the_page_goes_on(opened):
    visit = opened("release", data="typed", typed="apple")
    assert "could not be read" in visit.problem()[0]
    visit.line.text_area(key="typed").set_value("apple 9\npear 5").run()
    assert visit.whole().ranking()["true item"].tolist() == ["apple", "pear"]
    assert visit.address == {"data": "typed", "typed": "apple 9\npear 5"}


def test_a_page_that_ended_early_leaves_the_next_one_whole(opened):
    visit = opened("exact", data="news", small="all", small_k=3)
    headline, sentence = visit.problem()
    assert headline == "Too many outputs to list"
    assert "or a smaller k" in sentence
    visit.press("take-top").whole()
    assert visit.address["small"] == "top"
    visit.go("release").whole()


def test_one_item_has_no_gaps(opened):
    visit = opened("gaps", data="typed", typed="5").whole()
    assert "there are no gaps" in visit.app.info[0].value


FEW = {"data": "typed", "k": "5", "runs": "7"}
UNKNOWN = "LimitedDomain,LimitedDomainLaplace"


@pytest.mark.parametrize(
    ("page", "own"),
    [
        ("release", {}),
        ("release", {"picture": "noise"}),
        ("release", {"picture": "outcomes"}),
        ("errors", {"metric": "items_right"}),
        ("compare", {}),
        ("sweep", {"runs_a_point": "1"}),
        ("choose", {"goal": "error_share"}),
        ("handover", {}),
    ],
)
def test_k_may_be_more_than_there_are_items(opened, page, own):
    for typed in ("9000 8000 7", "0 0"):
        visit = opened(page, mechanisms=UNKNOWN, typed=typed, **FEW | own).whole()
        assert visit.complaints == visit.toasts == []
        assert visit.address["k"] == "5"
        if page == "release" and not own:
            table = visit.ranking()
            assert len(table) == 5
            assert table["true item"].tolist()[-2:] == ["no item"] * 2
            assert table.iloc[-1].tolist()[-2:] == ["⊥ nothing"] * 2
        slider = visit.line.slider(key="k")
        assert (slider.value, slider.max) == (5, settings.MAX_K)


def test_others_release_as_many_as_there_are(opened):
    visit = opened("release", mechanisms=f"Joint,{UNKNOWN}", typed="9000 8000 7", **FEW).whole()
    assert ["k = 5 requested, 3 shown" in words for words in visit.toasts] == [True]
    assert len(visit.ranking()) == 3
    series = opened("ledger", mechanisms="Joint", typed="9000 8000 7", **FEW).whole()
    assert series.line.slider(key="k").value == 5
    assert series.finding.endswith("but 19 are empty")
