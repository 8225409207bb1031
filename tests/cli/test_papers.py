"""Test the command `dptopk papers`, and that it reads the publishers' own files."""

import re
import shlex
from pathlib import Path

import pytest

from dptopk import load_dataset
from dptopk.cli.papers import read_original
from dptopk.questions.paper_figures import NAMES
from dptopk.questions.papers import content

PAIRS = [(user, item) for user in range(1, 31) for item in range(1, 13) if user % item < 2]
USERS_OF = {item: sum(pair[1] == item for pair in PAIRS) for item in range(1, 13)}
TOTALS = {item: 90_000 // item for item in range(1, 13)}


def user(n):
    return f"A{n:03}XYZ{n * 7919:06}"


# a few lines of each file in the shape that its publisher gives it, and how it names an item
MINIATURES = {
    "movies": (
        ["userId,movieId,rating,timestamp"]
        + [f"{u},{37 * i},3.5,{1_147_880_044 + u}" for u, i in PAIRS],
        lambda i: str(37 * i),
        USERS_OF,
    ),
    "foods": (
        [f"{user(u)},B{i:09},5.0,{1_338_940_800 + u}" for u, i in PAIRS],
        lambda i: f"B{i:09}",
        USERS_OF,
    ),
    "games": (
        [
            f"{151_603_712 + u},Game {i},{row},0"
            for u, i in PAIRS
            for row in ("purchase,1.0", "play,273.0")
        ],
        lambda i: f"Game {i}",
        USERS_OF,
    ),
    "books": (
        [
            "bookID,title,authors,average_rating,isbn,isbn13,language_code,  num_pages,"
            "ratings_count,text_reviews_count,publication_date,publisher"
        ]
        + [
            f"{i},Book {i},A/B,4.5,{439785960 + i},{9780439785969 + i},eng,652,{n},{n // 70},"
            "9/16/2006,Scholastic Inc."
            for i, n in TOTALS.items()
        ],
        lambda i: f"Book {i}",
        TOTALS,
    ),
    "news": (
        ["url, timedelta, n_tokens_title, n_tokens_content, shares"]
        + [f"http://mashable.com/{i}/, 731.0, 12.0, 219.0, {n}" for i, n in TOTALS.items()],
        lambda i: f"http://mashable.com/{i}/",
        TOTALS,
    ),
    "tweets": (
        [
            "author,content,country,date_time,id,language,latitude,longitude,number_of_likes,"
            "number_of_shares"
        ]
        + [
            f'katyperry,"No. {i}, of many",,12/01/2017 19:52,8.19633e17,en,,,{n},9'
            for i, n in TOTALS.items()
        ],
        lambda i: f"No. {i}, of many",
        TOTALS,
    ),
}


def written(folder, name):
    """Write a miniature; return the path."""
    file = folder / f"{name}.csv"
    file.write_text("".join(f"{line}\n" for line in MINIATURES[name][0]), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", NAMES)
def test_the_publishers_file_is_read_as_it_is(tmp_path, name):
    key, source = read_original(f"{name}={written(tmp_path, name)}")
    _, named, expected = MINIATURES[name]
    assert key == NAMES[name]
    assert dict(zip(source.counts.items, source.counts.counts.tolist(), strict=True)) == {
        named(item): n for item, n in expected.items()
    }


GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "papers.md"
RECIPES = re.findall(
    r"^\| `(\w+)` \|.*`--data \S+ (.*?)` \|$", GUIDE.read_text("utf-8"), re.MULTILINE
)


@pytest.mark.parametrize(("name", "options"), RECIPES)
def test_the_recipe_of_the_guide_reads_it_in_other_commands(run, tmp_path, name, options):
    file = written(tmp_path, name)
    rows = run("gaps", "--data", file, *shlex.split(options), "-k", 3, "--format", "json").json[
        "rows"
    ]
    _, named, expected = MINIATURES[name]
    shown = [[*row.values()][1:3] for row in rows[:2]]
    assert shown == [[named(item), expected[item]] for item in (1, 2)]


def test_counts_that_we_wrote_are_read_as_they_are(run, tmp_path):
    columns = ("--user", "userId", "--item", "movieId")
    assert run("counts", written(tmp_path, "movies"), *columns, "-o", "counted.csv").code == 0
    _, source = read_original("movies=counted.csv")
    assert sorted(source.counts.counts.tolist()) == sorted(USERS_OF.values())


def test_each_name_has_a_recipe_and_data():
    assert sorted(name for name, _ in RECIPES) == sorted(NAMES)
    assert [one["name"] for one in content("original")] == [*NAMES]
    assert load_dataset(NAMES["movies"]).d == 9_724


@pytest.mark.slow
def test_the_folder_holds_pdf_svg_and_csv_of_the_data_that_are_given(run, tmp_path):
    file, folder = written(tmp_path, "foods"), tmp_path / "new" / "figures"
    ran = run("papers", "-o", folder, "--figure", 4, "--data", f"foods={file}")
    assert ran.code == 0, ran.err
    made = {path.name for path in folder.iterdir()}
    assert {"figure-4.pdf", "figure-4.svg"} <= made
    assert len([name for name in made if re.match(r"figure-4-.*csv$", name)]) == 6
    assert (folder / "figure-4.pdf").read_bytes().startswith(b"%PDF")
    assert "Foods (foods.csv)" in (folder / "figure-4-synthetic-zipf-counts.csv").read_text("utf-8")
    svg = (folder / "figure-4.svg").read_text("utf-8")
    assert svg.count('<g id="axes_') == 6
    assert f"{len(made)} files are in" in ran.err


@pytest.mark.parametrize("given", ["movies", "films=x.csv"])
def test_data_are_given_by_one_of_the_names(run, given):
    ran = run("papers", "-o", ".", "--data", given)
    assert ran.code == 2
    assert "NAME is one of books, foods, games, movies, news, tweets" in ran.err
