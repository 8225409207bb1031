"""A file in the dialog: what it becomes, the code it leaves behind, and that it stays here."""

import re

import pytest

from dptopk.ui.plan import PAGES

FILES = {
    "fruit.csv": b"fruit,users\npear,30\nplum,20\nfig,10\n",
    "it's [a](b).csv": "name;n\n'x';3\n\"y;z\";2\nÄ;1\n".encode("latin-1"),
    "counts.tsv": b"30\t1\n20\t2\n10\t3\n",
}
NAMES = {
    "fruit.csv": ["pear", "plum", "fig"],
    "it's [a](b).csv": ["'x'", "y;z", "Ä"],
    "counts.tsv": None,
}


def uploaded(visit, filename: str, data: bytes):
    """Drop a file into the dialog and use what is read.

    AppTest runs the whole script where a browser runs the dialog alone, so the dialog is opened
    again each time.
    """

    def with_dialog():
        (button,) = (b for b in visit.app.sidebar.button if b.label == "Upload your own counts")
        button.click().run()
        assert visit.exceptions() == []

    with_dialog()
    visit.app.file_uploader(key="upload-file").set_value((filename, data, "text/csv"))
    with_dialog()
    visit.app.button(key="use-upload").click()
    with_dialog()
    return visit


@pytest.mark.parametrize("filename", FILES)
def test_code_of_an_upload_reads_the_same_counts(opened, filename, tmp_path, monkeypatch):
    visit = uploaded(opened("data"), filename, FILES[filename]).whole()
    assert visit.address == {"data": "upload"}
    assert visit.title == "Which counts are these? Your file"
    monkeypatch.chdir(tmp_path)
    (tmp_path / filename).write_bytes(FILES[filename])
    names, _ = visit.told()
    shown = visit.table()
    assert [names["counts"].items[i] for i in names["counts"].order] == shown["item"].tolist()
    assert names["counts"].counts[names["counts"].order].tolist() == shown["count"].tolist()
    assert NAMES[filename] is None or shown["item"].tolist() == NAMES[filename]


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["add-remove", "swap"])
def test_names_of_uploaded_items_are_in_no_address(opened, neighbors):
    secret = ["alpha", "beta", "gamma", "delta5", "omega"]
    data = "\n".join(["item,count", *(f"{name}-secret,{9 - i}" for i, name in enumerate(secret))])
    query = {"small": "top", "who": "chosen", "neighbors": neighbors, "small_k": "2"}
    visit = uploaded(opened("privacy", **query), "s.csv", data.encode()).whole()
    keys = ("held",) if neighbors == "add-remove" else ("goes", "comes")
    for place, key in enumerate(keys, 2):
        visit.app.multiselect(key=key).set_value([str(place), "4"]).run()
    said = visit.whole().app.main.text[0].value
    assert "beta-secret" in said
    assert [visit.address[key] for key in keys] == [f"{i},4" for i in range(2, 2 + len(keys))]
    assert "secret" not in str(visit.address)
    for page in (
        "release",
        "errors",
        "sweep",
        "gaps",
        "exact",
        "budget",
        "data",
        "privacy",
        "mechanisms",
    ):
        assert "secret" not in str(visit.go(page).whole().address)
    assert visit.app.main.text[0].value == said  # the choice of the user is still there


MOVES = {  # another value for every control that there is
    "k": 3,
    "epsilon": 0.5,
    "delta": 1e-5,
    "mechanisms": ["Joint", "CDPPeel"],
    "neighbors": "swap",
    "calibration": "optimal",
    "runs": 50,
    "seed": 4,
    "users": 400_000,
    "_typed-epsilon": "ln 3",
    "_typed-delta": "1e-9",
    "metric": "l1",
    "shape": "dots",
    "log": False,
    "bound": True,
    "against": "epsilon",
    "runs_a_point": 50,
    "places": 3,
    "small_items": 4,
    "small_k": 1,
    "draws": 1_000,
    "run": "too_small",
    "shown": "CDPPeel",
    "joins": "leaves",
    "held": ["2", "3"],
    "goes": ["2"],
    "comes": ["3", "4"],
}
STAY = {"data", "small", "who", "upload-file"}  # they choose that there is an upload to be seen
KINDS = (
    *("select_slider", "slider", "selectbox", "radio", "toggle", "number_input"),
    *("text_input", "multiselect", "button_group"),
)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page.key for page in PAGES])
def test_nothing_of_an_upload_is_in_the_address_whatever_is_set(opened, page):
    rows = [f"hush{i},{70_001 + 111 * i}" for i in range(9)]
    data = "\n".join(["item,count", *rows])
    query = {"small": "top", "who": "chosen", "small_k": "2", "runs": "7", "runs_a_point": "1"}
    visit = uploaded(opened(page, **query), "hushed.csv", data.encode()).whole()

    def controls() -> dict:
        return {control.key: control for kind in KINDS for control in getattr(visit.app, kind)}

    done: set[str] = set()
    while left := controls().keys() - STAY - done:
        key = min(left)
        assert key in MOVES, "a control that this test does not move"
        controls()[key].set_value(MOVES[key]).run()
        done.add(key)
        assert visit.exceptions() == []
        assert visit.address["data"] == "upload"
        assert not re.search(r"hush|70\d\d\d", str(visit.address)), key
    assert len(done) >= 10


def test_what_a_link_holds_is_said_truly_for_an_upload(opened):
    visit = opened("data")
    said = visit.app.sidebar.caption[-1].value
    assert said == "The address of this page holds all settings: share it to share the view."
    uploaded(visit, "fruit.csv", FILES["fruit.csv"])
    said = visit.app.sidebar.caption[-1].value
    assert "holds all settings but nothing of your file" in said


def test_an_upload_stays_in_its_session(opened):
    visit = uploaded(opened("data"), "fruit.csv", FILES["fruit.csv"])
    assert opened("data", **visit.address).problem()[0] == (
        "No file has been uploaded in this session"
    )
