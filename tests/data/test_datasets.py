"""Test bundled data against provenance and damage; classroom vectors and shapes by hand."""

import hashlib
import shutil

import numpy as np
import pytest

from dptopk.data import datasets, synthetic_counts
from dptopk.data.datasets import dataset_info, dataset_names, load_dataset
from dptopk.data.synthetic_counts import (
    CLASSROOM_VECTORS,
    SYNTHETIC_SHAPES,
    classroom_vector,
    synthetic,
    zipf_like,
)

FACTS = {  # name: d, total, smallest, first item and its count, gaps between the first eleven
    "books": (
        *(11_123, 199_578_299, 0, "Twilight (Twilight #1)", 4_597_666),
        [2066772, 73802, 38356, 79151, 45622, 140796, 24223, 17194, 16060, 59011],
    ),
    "games": (
        *(5_155, 129_511, 1, "Dota 2", 4_841),
        [2518, 760, 151, 431, 3, 27, 95, 9, 24, 92],
    ),
    "news": (
        *(39_644, 134_606_452, 1, "2013-07-03 low-cost-iphone", 843_300),
        [152900, 26800, 10700, 35000, 176900, 130200, 4700, 7700, 13700, 51300],
    ),
    "movies_small": (
        *(9_724, 100_836, 1, "Forrest Gump (1994)", 329),
        [12, 10, 28, 1, 27, 13, 1, 13, 4, 2],
    ),
    "tweets_538": (
        *(6_439, 247_296_094, 254, "@BarackObama 2017-08-13 896523232098078720", 4_603_556),
        [2494687, 231992, 161124, 83523, 43184, 86660, 84135, 32960, 11174, 255815],
    ),
    "goodbooks10k": (
        *(10_000, 540_012_351, 2_716, "The Hunger Games (The Hunger Games, #1)", 4_780_653),
        [178174, 735640, 668168, 515007, 337260, 274788, 27375, 8751, 34179, 28645],
    ),
    "anime_watched": (
        *(7_390, 520_609, 1, "Death Note", 2_638),
        [548, 62, 161, 1, 34, 40, 68, 32, 78, 16],
    ),
}


@pytest.mark.parametrize("name", dataset_names())
def test_bundled_data_agree_with_their_provenance(name):
    d, total, smallest, first, largest, gaps = FACTS[name]
    item_counts = load_dataset(name)
    assert item_counts.name == name
    assert item_counts.d == d
    assert int(item_counts.counts.sum()) == total
    assert int(item_counts.counts.min()) == smallest
    assert (item_counts.items[0], item_counts.counts[0]) == (first, largest)
    assert (-np.diff(item_counts.counts[:11])).tolist() == gaps
    assert np.all(np.diff(item_counts.counts) <= 0)
    data = datasets._data_file(dataset_info(name).file).read_bytes()
    assert hashlib.sha256(data).hexdigest() == dataset_info(name).sha256


def test_only_two_sets_are_counts_of_people_for_certain():
    certain = {name for name in dataset_names() if dataset_info(name).distinct_users}
    assert certain == {"movies_small", "anime_watched"}


@pytest.mark.parametrize("name", ["books", "games", "news", "anime_watched"])
def test_licences_not_read_say_so(name):
    assert "not read here" in dataset_info(name).license


def test_loading_twice_gives_the_same_immutable_object():
    first = load_dataset("games")
    assert load_dataset("games") is first
    assert not first.counts.flags.writeable


@pytest.mark.parametrize("call", [load_dataset, dataset_info])
@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("foods", ValueError, "name must be one of 'books', 'games'.*got 'foods'"),
        ("", ValueError, "name must be one of"),
        ("../README.md", ValueError, "name must be one of"),
        (None, TypeError, "name must be a string"),
        (["books"], TypeError, "name must be a string"),
    ],
)
def test_unknown_names_are_refused_with_the_options(call, name, error, message):
    with pytest.raises(error, match=message):
        call(name)


# Classroom vectors


def test_classroom_vectors_of_the_paper():
    assert classroom_vector("paper_four").counts.tolist() == [10, 5, 1, 1]
    assert classroom_vector("paper_four").items == ("A", "B", "C", "D")
    thousand = classroom_vector("paper_thousand")
    assert thousand.counts.tolist() == [30, 15] + [1] * 998
    assert thousand.items[24:29] == ("Y", "Z", "AA", "AB", "AC")


def test_the_other_classroom_vectors():
    assert classroom_vector("ten_steps").counts.tolist() == list(range(100, 0, -10))
    assert set(classroom_vector("all_ties").counts.tolist()) == {20}
    giant = classroom_vector("one_giant").counts
    assert giant[0] == 1000
    assert giant[1:].max() < 50


@pytest.mark.parametrize("name", CLASSROOM_VECTORS)
def test_classroom_vectors_are_described(name):
    assert classroom_vector(name).name == name
    assert CLASSROOM_VECTORS[name].title
    assert CLASSROOM_VECTORS[name].description


def test_unknown_classroom_vector():
    with pytest.raises(ValueError, match="name must be one of 'ten_steps'"):
        classroom_vector("books")


# Synthetic shapes


@pytest.mark.parametrize(
    ("shape", "d", "parameters", "counts"),
    [
        ("zipf", 4, {"top": 100, "exponent": 1.0}, [100, 50, 33, 25]),
        ("zipf", 3, {"top": 100, "exponent": 2}, [100, 25, 11]),
        ("geometric", 4, {"top": 80, "ratio": 0.5}, [80, 40, 20, 10]),
        ("geometric", 3, {"top": 80, "ratio": 1}, [80, 80, 80]),
        ("equal_steps", 4, {"step": 5}, [20, 15, 10, 5]),
        ("two_plateaus", 5, {"high": 9, "low": 2, "n_high": 2}, [9, 9, 2, 2, 2]),
        ("two_plateaus", 3, {"high": 9, "low": 2, "n_high": 10}, [9, 9, 9]),
    ],
)
def test_shapes_by_hand(shape, d, parameters, counts):
    assert synthetic(shape, d, **parameters).counts.tolist() == counts


def test_uniform_is_seeded_and_spans_its_range():
    first = synthetic("uniform", 20_000, seed=3)
    assert first == synthetic("uniform", 20_000, seed=3)
    assert first != synthetic("uniform", 20_000, seed=4)
    assert first.counts.min() >= 0
    assert first.counts.max() <= 200_000
    # mean d per_item / 2, standard error d per_item / sqrt(12 d)
    assert abs(first.counts.mean() - 100_000) < 5 * 200_000 / np.sqrt(12 * 20_000)


@pytest.mark.parametrize("shape", SYNTHETIC_SHAPES)
@pytest.mark.parametrize("d", [1, 100, 1_000_000])
def test_shapes_hold_at_their_defaults(shape, d):
    item_counts = synthetic(shape, d)
    assert item_counts.d == d
    assert item_counts.name == f"{shape}, d = {d:,}"
    if not SYNTHETIC_SHAPES[shape].random:
        assert np.all(np.diff(item_counts.counts) <= 0)


@pytest.mark.parametrize("shape", SYNTHETIC_SHAPES)
def test_every_parameter_is_described_and_accepts_its_whole_range(shape):
    for parameter in SYNTHETIC_SHAPES[shape].parameters:
        assert parameter.label
        assert parameter.low <= parameter.default <= parameter.high
        for end in (parameter.low, parameter.high):
            assert parameter.checked(end) == end


@pytest.mark.parametrize(
    ("arguments", "parameters", "error", "message"),
    [
        (("pareto", 5), {}, ValueError, "shape must be one of 'zipf'"),
        (("zipf", 0), {}, ValueError, r"d must be in \[1, 10000000\], got 0"),
        (("zipf", 10**8), {}, ValueError, r"d must be in \[1, 10000000\]"),
        (("zipf", 5.0), {}, TypeError, "d must be an integer"),
        (("zipf", 5, -1), {}, ValueError, "seed must be at least 0"),
        (("zipf", 5), {"exponent": 0}, ValueError, r"exponent must be in \[0.05, 5\], got 0"),
        (("zipf", 5), {"exponent": 9}, ValueError, r"exponent must be in \[0.05, 5\], got 9"),
        (
            ("zipf", 5),
            {"exponent": np.nan},
            ValueError,
            r"exponent must be in \[0.05, 5\], got nan",
        ),
        (("zipf", 5), {"top": 2.5}, TypeError, "top must be an integer"),
        (("zipf", 5), {"ratio": 0.5}, TypeError, "ratio is not a parameter of zipf, which takes"),
        (("geometric", 5), {"ratio": 1.1}, ValueError, "ratio must be in"),
        (("two_plateaus", 5), {"high": 1, "low": 2}, ValueError, r"low must be at most high \(1\)"),
    ],
)
def test_bad_shapes_are_refused(arguments, parameters, error, message):
    with pytest.raises(error, match=message):
        synthetic(*arguments, **parameters)


@pytest.mark.parametrize(("d", "s"), [(7, 0.3), (1_000, 1.0), (54_321, 1.0), (200_000, 1.7)])
def test_a_sum_of_powers_is_that_of_its_terms(d, s):
    terms = np.arange(1, d + 1, dtype=np.float64) ** -s
    assert synthetic_counts._sum_of_powers(d, s) == pytest.approx(terms.sum(), rel=1e-7)


@pytest.mark.parametrize("exponent", [0.4, 1.0, 2.2])
def test_what_is_like_zipf_counts_is_them(exponent):
    counts = synthetic("zipf", 5_000, top=10**8, exponent=exponent).counts
    found = zipf_like(5_000, int(counts.max()), int(counts.sum())).counts
    assert found.size == 5_000
    assert found.max() == 10**8
    np.testing.assert_allclose(found[:100], counts[:100], rtol=0.01)


def test_a_total_that_no_exponent_has_takes_the_nearest():
    assert zipf_like(10, 50, 500).counts.min() > 40
    assert zipf_like(10, 10**6, 10**6).counts[1] == round(10**6 / 2**5)
    with pytest.raises(ValueError, match=r"total must be .*, got 49"):
        zipf_like(10, 50, 49)


def test_missing_files_are_reported_with_both_places(monkeypatch, tmp_path):
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "dptopk" / "data" / "datasets.py"))
    with pytest.raises(FileNotFoundError, match=r"neither at .* nor at .*install dptopk again"):
        datasets._data_file("books.csv")


@pytest.mark.parametrize("folder", ["dptopk/sample_data", "sample_data"])
def test_files_are_found_in_a_wheel_and_in_a_clone(monkeypatch, tmp_path, folder):
    place = tmp_path / folder / "books.csv"
    place.parent.mkdir(parents=True)
    place.write_text("item,count\na,1\n")
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "dptopk" / "data" / "datasets.py"))
    assert datasets._data_file("books.csv") == place


def spoiled(folder, name, change):
    """A copy of the bundled data in a clone, with one file changed; the path of its module."""
    shutil.copytree(datasets.data_folder(), folder / "sample_data")
    file = folder / "sample_data" / name
    file.write_bytes(change(file.read_bytes()))
    return str(folder / "dptopk" / "datasets.py")


@pytest.fixture
def forgetful():
    """Nothing is remembered of files that were read, before the test and after it."""

    def forget():
        for remembered in (datasets._read_provenance, datasets._load):
            remembered.cache_clear()

    forget()
    yield
    forget()


@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        ("games", "games.csv", lambda data: data.replace(b"4841", b"4842")),
        ("games", "games.csv", lambda data: data[:-9]),
        ("news", "news.csv.gz", lambda data: data[:1000]),
        ("games", "games.csv", lambda data: b""),
        ("games", "provenance.toml", lambda data: data[:3000]),
        ("games", "provenance.toml", lambda data: b"\xff" + data),
        ("games", "provenance.toml", lambda data: b""),
        ("games", "provenance.toml", lambda data: data.replace(b"sha256 =", b"sha =")),
    ],
)
def test_a_damaged_file_is_told_and_never_read(
    monkeypatch, tmp_path, forgetful, name, file, change
):
    monkeypatch.setattr(datasets, "__file__", spoiled(tmp_path, file, change))
    with pytest.raises(OSError, match=f"{file} has been changed: install dptopk again"):
        load_dataset(name)
    monkeypatch.undo()  # the failure is not remembered
    assert load_dataset(name).d > 5_000
