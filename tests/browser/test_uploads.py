"""Test files of strangers that are dropped into the upload dialog."""

from pathlib import Path

import pytest
from hostile_files import hostile_files
from usual_files import usual_files

HERE = Path(__file__).resolve().parent
NAVIGATION = ("Release", "Errors", "Across k and ε", "Gaps", "Exact", "Privacy")
NAVIGATION += ("Accounting", "Data")


def test_a_clear_file_is_shown_as_soon_as_it_is_chosen_and_to_be_looked_at_if_it_is_again(visitor):
    visitor.open("/data")
    for n_dialogs in range(2):
        visitor.upload("shop.csv", b"item,users\ntea,30\nmilk,20\n")
        seen = visitor.page.get_by_text("What is in shop?", exact=True)
        seen.wait_for()  # the click has a run, too
        assert visitor.page.get_by_role("dialog").count() == n_dialogs


def test_bad_files_get_their_sentence_reading_stops_and_the_data_before_stay(visitor):
    visitor.open("/data?k=5")
    dialog = visitor.page.get_by_role("dialog")
    files = hostile_files()  # tests/ui/server reads all of them
    for kind in ("wrong delimiter", "gzip bomb", "hostile text"):
        filename, data, expected = files[kind]
        visitor.upload(filename, data)
        dialog.get_by_text(expected).first.wait_for(timeout=20_000)
        assert visitor.page.get_by_role("button", name="Use these").count() == 0, kind
    many = "\n".join(f"item {number};{number}" for number in range(400_000))
    visitor.page.get_by_test_id("stFileUploader").first.locator("input[type=file]").set_input_files(
        {"name": "many.csv", "mimeType": "text/csv", "buffer": many.encode()}
    )
    dialog.get_by_role("button", name="Stop").click(timeout=60_000)
    dialog.get_by_text("Stopped: this file is not used").wait_for(timeout=20_000)
    visitor.page.keyboard.press("Escape")
    visitor.settle()
    assert visitor.heading() == "What is in Games (Steam)?"


HOSTILE_NAMES = [
    "<img src=https://example.com/x.png onerror=alert(1)>",
    "![](https://example.com/y.png)",
    "[click](https://example.com)",
    "<a href='https://example.com'>link</a>",
    "$\\frac{1}{0}$",
    "=1+1",
    ":red[boo]",
    "https://example.com/plain",
    "www.example.com",
    "`code` **bold**",
]


@pytest.mark.parametrize(
    "pages",
    [("Release", "Exact", "Data"), pytest.param(NAVIGATION, marks=pytest.mark.grid)],
    ids=["where most are shown", "everywhere"],
)
def test_hostile_names_stay_plain_text(pages, visitor):
    quoted = (name.replace('"', '""') for name in HOSTILE_NAMES)
    lines = [f'"{name}",{100 - i}' for i, name in enumerate(quoted)]
    visitor.open("/data?k=5")
    visitor.upload("[x](https://example.com).csv", "\n".join(["item,count", *lines]).encode())
    visitor.use()
    for title in pages:
        visitor.go(title)
        if title == "Exact":
            visitor.page.get_by_role("combobox", name="Counts from").click()
            visitor.page.get_by_role("option", name="the top of the data").click()
            visitor.follow()
        if title == "Release":
            visitor.page.get_by_role("radio", name="Noise").click()
            visitor.follow()
            assert visitor.page.get_by_test_id("stPlotlyChart").locator("a").count() == 0
            visitor.page.get_by_role("radio", name="Draws").click()
            visitor.follow()
            played = visitor.page.locator(".moving .places")
            assert HOSTILE_NAMES[0] in played.text_content()
            assert played.locator("a, b, img, script").count() == 0
        main = visitor.page.get_by_test_id("stMain")
        assert main.locator("a[href*='example.com']").count() == 0
        assert visitor.page.locator("img[src*='example.com']").count() == 0
        assert main.locator(".katex").count() == 0
    visitor.go("Data")
    visitor.take_away()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="All items and their counts as CSV").click()
    assert '"\'=1+1"' in download.value.path().read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("width", "height", "kinds"),
    [
        (1280, 720, ("German export", "event log")),
        pytest.param(1280, 720, ("workbook", "pivot"), marks=pytest.mark.grid),
        pytest.param(390, 844, ("workbook", "thousands or decimals"), marks=pytest.mark.grid),
    ],
)
def test_usual_files_get_in_and_nothing_of_them_stays(new_visitor, server, width, height, kinds):
    """Files are used by keyboard; after each the page is reloaded, which ends the session."""
    visitor = new_visitor(server, width, height)
    page, dialog = visitor.page, visitor.page.get_by_role("dialog")
    for kind in kinds:
        visitor.open("/data?data=upload")
        assert "reloading a page or opening a link starts a new session" in visitor.text()
        file = usual_files()[kind]
        visitor.upload(file.filename, file.data, "Upload it again")
        button = page.get_by_role("button", name=f"Use these {len(file.counts)} items")
        if kind in ("German export", "pivot", "thousands or decimals"):
            dialog.get_by_text("The file can be read in more than one way").wait_for()
            assert button.count() == 0
            dialog.get_by_role("radiogroup").last.get_by_role("radio").first.focus()
            page.keyboard.press("Space")
            visitor.follow()
        button.wait_for()
        table = dialog.get_by_test_id("stDataFrame")
        assert button.bounding_box()["y"] < table.bounding_box()["y"]
        assert button.bounding_box()["y"] + 40 < height, kind  # in sight
        assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth")
        button.focus()
        page.keyboard.press("Enter")
        dialog.wait_for(state="detached")
        visitor.settle()
        assert visitor.heading() == f"What is in {file.title}?"
        assert f"{sum(file.counts.values()):,}" in visitor.text()


def test_a_file_that_was_read_waits_where_its_dialog_was_closed(visitor):
    visitor.open("/data")
    page = visitor.page.get_by_test_id("stMain")
    note = page.get_by_text("shop.csv was read, but is not used yet.")
    for button in ("Drop it", "Use these 2 items"):
        visitor.upload("shop.csv", b"item,count\ntea,30\nmilk,20\n")
        visitor.page.get_by_role("button", name="Use these 2 items").wait_for()
        visitor.page.get_by_role("dialog").get_by_role("button", name="Close").click()
        note.wait_for()
        visitor.go("Gaps")
        visitor.go("Data")  # it waits on every page
        visitor.click(button)
        note.wait_for(state="detached")
        used = button != "Drop it"
        assert (visitor.heading() == "What is in shop?") == used


def test_once_an_upload_is_undone_nothing_lies_over_the_page(visitor):
    visitor.open("/data")
    visitor.upload("shop.csv", b"item,users\ntea,30\nmilk,20\n")
    visitor.page.get_by_text("What is in shop?", exact=True).wait_for()
    visitor.page.get_by_role("button", name="shop.csv", exact=True).click()
    visitor.page.get_by_role("button", name="Undo").click()
    visitor.page.get_by_text("What is in Games (Steam)?", exact=True).wait_for()
    visitor.page.get_by_test_id("stPopoverBody").wait_for(state="detached")
