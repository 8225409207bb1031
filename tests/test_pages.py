"""Every page, run by AppTest without a browser: all data, extreme settings, links, and the code.

AppTest serves every run as a fresh server would: each is a cold deep link.
"""

import ast
import contextlib
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dptopk import (
    MECHANISMS,
    METRICS,
    NeighborRelation,
    load_dataset,
    merged_output_distribution,
    output_distribution,
    run_trials,
    summarize,
    worst_case_loss,
)
from dptopk.ui import error_charts, shell, small_cases, sources, sweeps, texts
from dptopk.ui.controls import MAX_K

APP = str(Path(__file__).resolve().parents[1] / "app.py")
PAGES = [name for name, _, _ in shell.PAGES]
TITLES = {
    "release": "What comes out as the top 10?",
    "errors": "How wrong is a top 10, usually?",
    "sweep": "Which mechanism errs less, at which k and ε?",
    "gaps": "How clearly do the top counts stand apart?",
    "exact": "What can come out, and how likely is it?",
    "privacy": "How much can one user change the answer?",
    "budget": "How much noise does this budget need?",
    "data": "Which counts are these? Games (Steam)",
}
TYPED = {"data": sources.choice_label(sources.TYPED)}
SWAP = {"neighbors": texts.NEIGHBORS[NeighborRelation.SWAP]}
OPTIMAL = {"calibration": texts.CALIBRATIONS["optimal"]}
TOP = {"small": small_cases.TOP}


def opened(page: str, **query) -> AppTest:
    """Open a page by its link on a fresh server."""
    app = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value if isinstance(value, list) else str(value)
    return app.switch_page(f"pages/{page}.py").run()


def complaints(app: AppTest) -> list[str]:
    """Everything on a page that says something went wrong."""
    return [
        *(f"exception: {element.message}" for element in app.exception),
        *(f"error: {element.value}" for element in app.error),
        *(f"warning: {element.value}" for element in app.warning),
    ]


def assert_whole(app: AppTest) -> None:
    """One page, with its title, its sidebar, and nothing that went wrong."""
    assert complaints(app) == []
    assert len(app.title) == 1
    assert [box.key for box in app.sidebar.selectbox] == ["data"]


def problem_of(app: AppTest) -> tuple[str, str]:
    """Return the headline of the one problem that is shown, and its sentence."""
    assert [element.message for element in app.exception] == []
    (headline,) = (element.value for element in app.error)
    return headline, app.main.text[0].value


def table(app: AppTest, position: int = 0):
    return app.main.dataframe[position].value


def chart(app: AppTest, name: str) -> dict:
    """What is sent to the browser for a figure."""
    (found,) = (c for c in app.main.get("plotly_chart") if c.key == f"chart-{name}")
    return json.loads(found.proto.spec)


# every page by its own link, on all data and at all settings


def test_every_page_is_tried_here():
    assert sorted(TITLES) == sorted(PAGES)
    assert sorted(PAGES) == sorted(path.stem for path in Path(APP).parent.glob("pages/*.py"))


@pytest.mark.parametrize("page", PAGES)
def test_a_deep_link_shows_the_page_whole(page):
    app = opened(page)
    assert_whole(app)
    assert app.title[0].value == TITLES[page]
    assert len(app.main.get("plotly_chart")) + len(app.main.dataframe) >= 1


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("choice", [c for c in sources.choices() if c != sources.UPLOAD])
def test_every_data_set_works_on_every_page(choice, page):
    app = opened(page, data=sources.choice_label(choice), runs=50, **TOP)
    assert_whole(app)
    assert app.session_state["data"] == choice


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("data", "k"), [("games", 1), ("games", MAX_K), ("classroom-ten_steps", 10)]
)
def test_k_at_its_extremes(page, data, k):
    app = opened(page, data=sources.choice_label(data), k=k, runs=50)
    assert_whole(app)
    assert app.session_state["k"] == k


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "query",
    [
        *({"mechanisms": name} for name in MECHANISMS),
        SWAP,
        OPTIMAL,
        SWAP | OPTIMAL,
        {"delta": "0"},
        {"delta": "0"} | SWAP | OPTIMAL,
        {"delta": "1e-12"},
        {"epsilon": "0.01"},
        {"epsilon": "10"},
        {"seed": 2**31 - 1},
    ],
    ids=lambda query: ",".join(map(str, query.values())),
)
def test_every_setting_works_on_every_page(page, query):
    app = opened(page, runs=50, **query)
    assert_whole(app)
    assert app.query_params["runs"] == "50"  # honoured: nonsense would be taken out
    assert {name: app.query_params[name] for name in query} == {
        name: str(value) for name, value in query.items()
    }


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "typed",
    ["5", "0", "7 3", "4, 4, 4, 4, 4, 4", "0 0 0", "9007199254740991 9007199254740990 3 0"],
)
def test_small_and_extreme_counts_work_on_every_page(page, typed):
    app = opened(page, typed=typed, runs=50, **TYPED, **TOP)
    assert_whole(app)


@pytest.mark.parametrize("logarithmic", ["true", "false"])
@pytest.mark.parametrize("shape", error_charts.SHAPES)
@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_metric_in_every_shape(metric, shape, logarithmic):
    app = opened("errors", metric=metric.title, shape=shape, log=logarithmic, runs=50, bound="true")
    assert_whole(app)
    axis = chart(app, "errors")["layout"]["xaxis"]
    assert axis["title"]["text"].startswith(metric.title)
    padded = logarithmic == "true" and metric.unit == "users"
    assert (axis.get("type") == "log") == padded
    assert ("log scale, padded by 1" in axis["title"]["text"]) == padded


@pytest.mark.parametrize("data", ["games", "classroom-paper_four", "classroom-all_ties"])
@pytest.mark.parametrize("against", sweeps._GRIDS)
@pytest.mark.parametrize("metric", ["linf", "linf_index"])
def test_every_grid_with_metrics_of_either_unit(data, against, metric):
    label = sources.choice_label(data)
    app = opened("sweep", data=label, against=against, metric=METRICS[metric].title)
    assert_whole(app)
    over = sweeps._GRIDS[against][0]
    d = len(sources.CLASSROOM_VECTORS[data.split("-")[1]].counts) if "-" in data else 5_155
    shown = table(app)[{"k": "k", "epsilon": "ε"}[over]].tolist()
    assert shown == sorted(set(shown))
    if over == "k":
        assert shown[-1] == d if d < 15 else shown[-1] <= MAX_K
    else:
        assert (shown[0], shown[-1]) == (0.01, 10.0)


def test_the_bound_is_drawn_where_it_applies_and_explained_where_not():
    applies = {"metric": METRICS["signed_max"].title, "bound": "true"}
    drawn = chart(opened("errors", **applies), "errors")["layout"]["annotations"]
    assert [note["text"] for note in drawn] == ["Theorem 3.3: 181"]  # 2 (10 ln 5155 + 5)
    for other in (SWAP, {"mechanisms": "PNFJoint"}, {"metric": METRICS["l1"].title}):
        app = opened("errors", **applies | other)
        assert "annotations" not in chart(app, "errors")["layout"]
        assert "choose these to see its line" in app.info[0].value


@pytest.mark.parametrize("shape", error_charts.SHAPES)
def test_a_bound_that_was_asked_for_is_drawn_or_explained_in_every_shape(shape):
    app = opened("errors", metric=METRICS["signed_max"].title, bound="true", shape=shape)
    drawn = "Theorem 3.3" in json.dumps(chart(app, "errors")["layout"])
    assert drawn or len(app.info) == 1


@pytest.mark.parametrize("shape", error_charts.SHAPES)
def test_the_words_under_a_figure_speak_of_curves_that_are_in_it(shape):
    app = opened("errors", metric=METRICS["signed_max"].title, shape=shape)
    names = [trace["name"] for trace in chart(app, "errors")["data"]]
    promised = any("wide pale curve" in element.value for element in app.caption)
    assert promised == any(name.endswith(", exact") for name in names)


# links


def test_a_link_carries_every_setting():
    app = opened(
        "errors",
        data=sources.choice_label("synthetic-zipf"),
        d=77,
        zipf_top=500,
        zipf_exponent=0.5,
        k=7,
        epsilon="0.25",
        delta="1e-09",
        mechanisms=["Joint", "CDP-Peel"],
        runs="1000",
        seed=5,
        metric=METRICS["l1"].title,
        **SWAP,
        **OPTIMAL,
    )
    assert_whole(app)
    assert app.code[0].value.splitlines()[-7:] == [
        'counts = synthetic("zipf", 77, top=500, exponent=0.5)',
        "mechanisms = [",
        "    Joint(7, 0.25, neighbors=NeighborRelation.SWAP),",
        '    CDPPeel(7, 0.25, 1e-09, neighbors=NeighborRelation.SWAP, calibration="optimal"),',
        "]",
        "trials = run_trials(counts, mechanisms, n=1000, seed=5)",
        'print(summarize(trials, "l1").T.to_string())',
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("k", value) for value in ("-5", "0", "201", "1e99", "nan", "many", "")),
        *(("epsilon", value) for value in ("0", "-1", "inf", "0.123", "1,0")),
        *(("delta", value) for value in ("2", "-1e-6", "nan")),
        *(("seed", value) for value in ("-1", str(2**31), "0x10", "nan")),
        *(("runs", value) for value in ("0", "7", "1e6", "10000000")),
        *(("data", value) for value in ("<script>", "../../etc/passwd", "games\0", "")),
        *(("neighbors", value) for value in ("__import__", "SWAP")),
        ("calibration", "tight"),
        ("mechanisms", "Laplace"),
        ("metric", "__import__"),
        ("shape", "pie"),
        ("log", "maybe"),
        ("nobody_knows", "this"),
    ],
)
def test_nonsense_in_a_link_falls_back(name, value):
    app = opened("errors", **{name: value})
    assert_whole(app)
    assert app.code[0].value.splitlines()[-9:] == [
        'counts = load_dataset("games")',
        "mechanisms = [",
        "    Joint(10, 1.0),",
        "    PNFJoint(10, 1.0),",
        "    PNFPeel(10, 1.0),",
        "    CDPPeel(10, 1.0, 1e-06),",
        "]",
        "trials = run_trials(counts, mechanisms, n=250, seed=0)",
        'print(summarize(trials, "linf").T.to_string())',
    ]


def test_k_beyond_the_data_is_lowered_and_said():
    app = opened("release", data=sources.choice_label("classroom-paper_four"), k=50)
    assert_whole(app)
    assert app.title[0].value == "What comes out as the top 4?"
    assert len(table(app)) == 4


# what is missing or cannot be read is said in a sentence, and can be mended


@pytest.mark.parametrize("page", PAGES)
def test_an_upload_that_is_not_there_is_said(page):
    headline, sentence = problem_of(opened(page, data=sources.choice_label(sources.UPLOAD)))
    assert headline == "No file has been uploaded in this session"
    assert "a link cannot carry them" in sentence


@pytest.mark.parametrize("page", ["gaps", "budget", "data"])
def test_pages_that_need_no_mechanism_do_without(page):
    assert_whole(opened(page, mechanisms=""))


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("gaps", "budget", "data")])
def test_no_mechanism_is_said(page):
    headline, sentence = problem_of(opened(page, mechanisms=""))
    assert headline == "No mechanism is chosen"
    assert sentence == "Choose at least one mechanism in the sidebar."


BAD_COUNTS = {
    "apple": "lacks an item or a count",
    "": "Nothing is typed",
    "5 -3": '"-3"',
    "5, 2.5": '"2.5"',
    "1e400": "scientific notation",
    "9007199254740993": "too large",
    "9" * 400: "too large",
    "apple 3\n![](https://example.com) x": "Line 2",
}


@pytest.mark.parametrize("page", ["release", "errors", "data"])
@pytest.mark.parametrize("typed", BAD_COUNTS, ids=lambda typed: typed[:12])
def test_counts_that_cannot_be_read_get_their_sentence(page, typed):
    headline, sentence = problem_of(opened(page, typed=typed, **TYPED))
    assert headline == "These counts could not be read"
    assert BAD_COUNTS[typed] in sentence


@pytest.mark.parametrize("page", ["exact", "privacy"])
@pytest.mark.parametrize("typed", ["apple", "", "5 -3", "5, 2.5", "9007199254740993"])
def test_small_counts_that_cannot_be_read_get_their_sentence(page, typed):
    headline, sentence = problem_of(opened(page, vector=typed))
    assert headline == "These counts could not be read"
    assert BAD_COUNTS[typed] in sentence


def test_vectors_with_too_many_neighbours_are_said():
    _, sentence = problem_of(opened("privacy", vector="1 2 3 4 5 6 7 8 9"))
    assert sentence == "All neighbours of 9 items cannot be listed: keep at most 8."


@pytest.mark.parametrize("who", ["the worst one", "choose the user's items"])
def test_the_largest_count_accepted_breaks_no_page_though_no_user_can_join(who):
    app = opened("privacy", vector="9007199254740992 5", who=who)
    assert [element.message for element in app.exception] == []


def test_after_counts_that_could_not_be_read_the_page_goes_on():
    app = opened("release", typed="apple", **TYPED)
    assert problem_of(app)[0] == "These counts could not be read"
    app.sidebar.text_area(key="typed").set_value("apple 9\npear 5").run()
    assert_whole(app)
    assert table(app)["true item"].tolist() == ["apple", "pear"]


def test_a_page_that_ended_early_leaves_the_next_one_whole():
    app = opened("exact", data="News (Mashable)", small=small_cases.ALL, small_k=3)
    headline, sentence = problem_of(app)
    assert headline == "Too many outputs to list"
    assert "take fewer items or a smaller k" in sentence
    assert_whole(app.switch_page("pages/release.py").run())


def test_parameters_that_do_not_go_together_are_said():
    label = sources.choice_label("synthetic-two_plateaus")
    app = opened("release", data=label, two_plateaus_high=5, two_plateaus_low=9)
    headline, sentence = problem_of(app)
    assert headline == "These parameters do not go together"
    assert sentence == "low must be at most high (5), got 9."


def test_one_item_has_no_gaps():
    app = opened("gaps", typed="5", **TYPED)
    assert app.info[0].value == "There is one item, so there are no gaps."
    assert complaints(app) == []


# moving controls


def test_drawing_again_advances_the_seed_and_the_table():
    app = opened("release", epsilon="0.1")
    first = table(app)
    app.button(key="draw").click().run()
    assert_whole(app)
    assert app.session_state["seed"] == 1
    assert not table(app).equals(first)
    assert table(app).equals(table(opened("release", epsilon="0.1", seed=1)))


def test_drawing_again_after_the_last_seed_begins_anew():
    app = opened("release", seed=2**31 - 1)
    app.button(key="draw").click().run()
    assert_whole(app)
    assert app.session_state["seed"] == 0


def test_sliders_follow_data_with_fewer_items_and_back():
    app = opened("gaps", k=200)
    app.slider(key="places").set_value(900).run()
    assert len(table(app)) == 900
    for data, d in (("classroom-ten_steps", 10), ("classroom-paper_four", 4)):
        app.sidebar.selectbox(key="data").set_value(data).run()
        assert_whole(app)
        assert app.sidebar.slider(key="k").value == d
        assert len(table(app)) == d - 1
        assert [toast.value for toast in app.toast] == [
            f"k is lowered to {d}, the number of items."
        ]
    app.sidebar.selectbox(key="data").set_value("games").run()
    assert_whole(app)
    assert app.sidebar.slider(key="k").max == MAX_K
    assert app.sidebar.slider(key="k").value == 200  # what was wanted comes back


def test_a_k_chosen_among_few_items_stays():
    app = opened("gaps", k=50)
    app.sidebar.selectbox(key="data").set_value("classroom-ten_steps").run()
    app.sidebar.slider(key="k").set_value(3).run()
    app.sidebar.selectbox(key="data").set_value("games").run()
    assert app.sidebar.slider(key="k").value == 3


@pytest.mark.parametrize("page", ["exact", "privacy"])
def test_the_small_k_follows_the_small_vector(page):
    app = opened(page, vector="9 7 5 3", small_k=4)
    assert app.slider(key="small_k").value == 4
    for vector, largest in (("9 7", 2), ("9", 1), ("4 4 4 4", 4)):
        app.text_input(key="vector").set_value(vector).run()
        assert_whole(app)
        found = [(slider.value, slider.max) for slider in app.main.slider]
        assert [most for _, most in found] == ([largest] if largest > 1 else [])
        assert all(1 <= value <= largest for value, _ in found)


def test_the_paper_presets_choose_data_k_and_epsilon():
    app = opened("exact", epsilon="5", k=3)
    app.main.button[1].click().run()
    assert_whole(app)
    assert [tile.value for tile in app.metric][:2] == ["33.7%", "43.7%"]
    app.main.button[0].click().run()
    assert_whole(app)
    assert [tile.value for tile in app.metric][:2] == ["63.1%", "75.1%"]


def test_the_neighbour_of_one_user_can_be_chosen_and_follows_the_vector():
    app = opened("privacy", who="choose the user's items")
    app.multiselect(key="held").set_value(["A", "D"]).run()
    assert_whole(app)
    assert app.main.text[0].value == "A user who holds A, D joins."
    app.text_input(key="vector").set_value("9 0").run()
    assert_whole(app)
    assert app.main.text[0].value == "A user who holds A joins."
    app.multiselect(key="held").set_value([]).run()
    assert_whole(app)
    assert app.main.text[0].value == "The user holds nothing: the data do not change."


def test_a_user_who_holds_an_item_of_nobody_cannot_leave():
    app = opened(
        "privacy", vector="9 0", who="choose the user's items", held=["A", "B"], joins="leaves"
    )
    headline, sentence = problem_of(app)
    assert headline == "This user cannot leave"
    assert "Nobody holds B: its count is 0." in sentence


# the code under every page runs and gives the numbers of the page

SOURCES = {
    "bundled": {"data": sources.choice_label("games")},
    "classroom": {"data": sources.choice_label("classroom-ten_steps")},
    "tied": {"data": sources.choice_label("classroom-paper_thousand"), "k": 3},
    "synthetic": {"data": sources.choice_label("synthetic-zipf"), "d": 60, "zipf_exponent": 0.7},
    "random": {"data": sources.choice_label("synthetic-uniform"), "d": 60, "data_seed": 4},
    "typed": {"typed": "30 20 20 12 9 1", **TYPED},
    "names": {"typed": 'it\'s "a" 30\nsweep( 20\n[b](c) 20\npathlib.x\\n 12\n日本 9', **TYPED},
    "swap": SWAP | {"epsilon": "0.3"},
    "optimal": OPTIMAL | {"k": 5},
    "swap optimal": SWAP | OPTIMAL | {"mechanisms": ["PNFJoint", "CDP-Peel"], "delta": "1e-09"},
}


@pytest.fixture(params=SOURCES)
def query(request) -> dict:
    return {"epsilon": "0.5", "runs": 100, "seed": 3} | SOURCES[request.param]


def told(app: AppTest) -> tuple[dict, str]:
    """Run the code of a page; return its names and what it printed."""
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(app.code[0].value, "snippet", "exec"), names)
    return names, printed.getvalue()


def users(value: float) -> str:
    """A number of users as tables show it."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def test_code_of_the_release_page(query):
    app = opened("release", **query)
    assert_whole(app)
    names, printed = told(app)
    shown, expected = table(app), ""
    for mechanism in names["mechanisms"]:
        cells = [
            re.fullmatch(r"[✓↕✗] (?:\(([+-][\d,]+)\) )?(.*)", cell, re.DOTALL)
            for cell in shown[mechanism.label]
        ]
        costs = np.array([int((cell[1] or "0").replace(",", "")) for cell in cells])
        expected += f"{mechanism.label} {[cell[2] for cell in cells]}\n{costs}\n"
    assert printed == expected
    assert list(shown.columns[3:]) == [mechanism.label for mechanism in names["mechanisms"]]


@pytest.mark.parametrize("metric", ["linf", "signed_max", "k_relative"])
def test_code_of_the_errors_page(query, metric):
    app = opened("errors", metric=METRICS[metric].title, **query)
    assert_whole(app)
    names, printed = told(app)
    summary = summarize(run_trials(names["counts"], names["mechanisms"], 100, 3), metric)
    assert printed == f"{summary.T.to_string()}\n"
    shown = table(app)
    medians = [
        f"{users(row.median)} [{users(row.median_low)}, {users(row.median_high)}]"
        for row in summary.itertuples(index=False)
    ]
    column = "median of the runs" if "median of the runs" in shown else "median"
    assert shown[column].tolist() == medians
    assert shown["mechanism"].tolist() == summary["mechanism"].tolist()
    for tile, row in zip(app.metric, summary.itertuples(index=False), strict=True):
        assert tile.label == row.mechanism
        median = shown.set_index("mechanism").loc[row.mechanism, "median"]
        exact = median.endswith(" exact")
        assert tile.value == (median.removesuffix(" exact") if exact else users(row.median))


def test_code_of_the_sweep_page(query):
    app = opened("sweep", **query)
    assert_whole(app)
    names, printed = told(app)
    summary = summarize(names["trials"], "linf")
    assert printed == f"{summary[names['columns']].to_string()}\n"
    shown = table(app).set_index("k")
    assert shown.shape == (summary["k"].nunique(), summary["mechanism"].nunique())
    for row in summary.itertuples(index=False):
        assert shown.loc[row.k, row.mechanism] == (
            f"{users(row.median)} [{users(row.median_low)}, {users(row.median_high)}]"
        )


def test_code_of_the_gaps_page(query):
    app = opened("gaps", **query)
    assert_whole(app)
    _, printed = told(app)
    assert printed == f"{table(app)['gap to the next'].to_numpy()}\n"


@pytest.mark.parametrize("origin", [small_cases.TYPED, small_cases.TOP, small_cases.ALL])
def test_code_of_the_exact_page(query, origin):
    if origin == small_cases.ALL:
        query = query | {"small_k": 1}
    app = opened("exact", small=origin, draws="none", **query)
    assert_whole(app)
    names, printed = told(app)
    merged = any(
        "merged" in element.value for element in app.caption if "interchang" in element.value
    )
    write = merged_output_distribution if merged else output_distribution
    written = {m.label: write(m, names["counts"]) for m in names["mechanisms"]}
    assert printed == "".join(
        f"{label}\n{law.to_frame().to_string(max_rows=20)}\n" for label, law in written.items()
    )
    shown = table(app).set_index("output")
    assert list(shown) == list(written)
    for label, law in written.items():
        np.testing.assert_allclose(
            shown.loc[law.labels(), label], law.probabilities, rtol=1e-12, atol=0
        )


@pytest.mark.parametrize("origin", [small_cases.TYPED, small_cases.TOP])
def test_code_of_the_privacy_page(query, origin):
    app = opened("privacy", small=origin, **query)
    assert_whole(app)
    names, printed = told(app)
    relation = NeighborRelation.SWAP if "neighbors" in query else NeighborRelation.ADD_REMOVE
    expected, tiles = "", []
    for mechanism in names["mechanisms"]:
        worst = worst_case_loss(mechanism, names["counts"], relation)
        expected += f"{mechanism.label} {worst.value} {worst.neighbour.counts} {worst.output}\n"
        tiles.append((mechanism.label, f"{worst.value:.3f}"))
    assert printed == expected
    assert [(tile.label, tile.value) for tile in app.metric] == tiles


def test_code_of_the_budget_page(query):
    app = opened("budget", **query)
    assert_whole(app)
    names, printed = told(app)
    worth = summarize(names["trials"], "linf")
    assert printed.endswith(f"{worth.T.to_string()}\n")
    assert [tile.value for tile in app.metric[-2:]] == [users(x) for x in worth["median"]]
    shown = table(app)
    rows = [line.split() for line in printed.splitlines()[: len(shown)]]
    assert [row[0] for row in rows] == shown["method"].tolist()
    columns = ["ε₀ = 1 / scale", "ε spent at δ", "δ spent at ε"]
    np.testing.assert_allclose(
        [[float(value) for value in row[1:]] for row in rows], shown[columns], rtol=1e-12, atol=0
    )


def test_code_of_the_data_page(query):
    app = opened("data", **query)
    assert_whole(app)
    _, printed = told(app)
    assert list(ast.literal_eval(printed)) == table(app)["item"].tolist()[:10]


@pytest.mark.parametrize(
    "run",
    [
        "CDP-Peel with Gumbel noise 20 % too small",
        "CDP-Peel with the scale printed in Algorithm 3",
        "add/remove noise although a user is replaced",
    ],
)
def test_code_of_what_goes_wrong(run):
    app = opened("privacy", run=run)
    assert_whole(app)
    _, printed = told(app)
    values = [float(value) for value in re.findall(r"^\S.*? ([\d.]+) \[", printed, re.MULTILINE)]
    assert [tile.value for tile in app.metric] == [f"{value:.3f}" for value in values]


def test_bundled_counts_in_code_are_those_shown():
    names, _ = told(opened("data"))
    assert names["counts"] == load_dataset("games")
