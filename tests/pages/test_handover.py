"""Test that files of the page Publish state the settings, and hold no private counts unasked."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from dialog import answered, dropped, uploaded, used, with_dialog

from dptopk import (
    MECHANISMS,
    CDPPeel,
    ItemCounts,
    Joint,
    Ledger,
    PNFJoint,
    ThresholdedLaplace,
    counts_from_events,
    load_dataset,
    smallest_epsilon,
)
from dptopk.cli import main
from dptopk.core.numerals import needed, rounded_up, share
from dptopk.data.ingest import IngestResult, LogSettings
from dptopk.export.handover import file_argument, opendp_script, sql_script
from dptopk.publishing.ledger import Entry
from dptopk.tuning.repeated import joint_cost
from dptopk.tuning.search import runs_to_judge
from dptopk.ui import keys
from dptopk.ui.server import work
from dptopk.ui.uploads.session_uploads import Uploaded

LINK = {"mechanisms": "CDPPeel,Joint", "runs": 50, "k": 5}
LIST = load_dataset("games").head(5).items


def numbers(visit):
    """Return the numbers that are offered above the documents, by their labels."""
    return [
        found for words in visit.said for found in re.findall(r"^\*\*(ε .+?): (.+?)\*\* \(", words)
    ]


def test_report_script_and_record_are_of_the_mechanism_chosen(offered):
    visit, found = offered("handover", **LINK, shown="CDPPeel")
    assert found["OpenDP script"][1] == opendp_script(CDPPeel(5, 1.0, 1e-6), "purchases")
    record = yaml.safe_load(found["Registry record as YAML"][1])["deployment"]
    assert record["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0, "delta": 1e-6}
    assert [label for label, _ in numbers(visit)] == ["ε for 95 times in 100"]
    assert "must be 4.91 (CDP-Peel)" in visit.finding
    (right,) = filter(None, (re.search("by CDP-Peel: (.+?) · ", one) for one in visit.captions))
    report = found["Confidential report as HTML"][1]
    assert right[1] in report
    assert "purchases" in record["basic"]["description"]
    assert not any(f"<td>{item}</td>" in report for item in LIST)
    _, printed = visit.told()
    for block in (visit.code, report):  # of every table, and a comment says of which
        assert block.index("# Accuracy compared") < block.index("# What is the smallest ε")
    sure = next(line for line in printed.splitlines() if "right_as_a_set_exact " in line)
    assert right[1] in [share(float(number)) for number in sure.split()[1:]]
    for name in ("Python script", "Jupyter notebook"):
        assert "measure_errors(" in found[name][1]
        assert "smallest_epsilon(" in found[name][1]
    assert "http://" not in report.split('id="plotly"')[0].replace("http://www.w3.org", "")


def test_a_release_that_a_database_can_make_comes_with_its_query(offered, few_runs):
    asked = LINK | {"mechanisms": "ThresholdedLaplace", "max_items": 2}
    ten = "classroom-ten_steps"  # soon searched for who needs less
    visit, found = offered("handover", **asked, data=ten, shown="ThresholdedLaplace")
    query = sql_script(ThresholdedLaplace(5, 1.0, 1e-6, 2))
    name, content = found["SQL query"]
    assert name.endswith(".sql")
    assert content == query
    assert "accompanying SQL query" in visit.words
    assert query.strip() in [element.value.strip() for element in visit.main.code]


def test_the_true_items_are_in_the_report_only_if_asked(offered):
    _, found = offered("handover", **LINK, shown="Joint", named="true", tuned_public="true")
    report = found["Confidential report as HTML"][1]
    assert all(f"<td>{item}</td>" in report for item in LIST)
    assert "chosen on public data" in report


def test_settings_of_brought_counts_are_said_to_be_public_by_their_author_alone(offered):
    brought = {"data": "typed", "typed": "a 90\nb 50\nc 1", "k": 1, "mechanisms": "Joint,CDPPeel"}
    visit, found = offered("handover", **brought, runs=20)
    assert visit.app.button(key="use-epsilon").label.startswith("Use ε = ")
    assert "What is the smallest ε" in found["Confidential report as HTML"][1]
    visit.app.toggle(key="tuned_public").set_value(True).run()
    report = offered.found["Confidential report as HTML"][1]
    for words in (report, offered.found["Registry record as YAML"][1]):
        assert " states that " in words
        assert "chosen on public data" in words
    # its smallest ε on these counts would be a use of them
    assert "What is the smallest ε" not in report
    assert "For 95 times in 100" not in report
    assert numbers(visit) == []
    assert not [button for button in visit.app.button if button.key == "use-epsilon"]


def test_where_none_is_likely_to_be_right_the_one_that_errs_least_stands(offered):
    visit, found = offered("handover", mechanisms="PNFPeel,CDPPeel", runs=50, k=50)
    assert "CDP-Peel releases the" in visit.finding
    assert "at ε = 1; CDP-Peel has" in found["Confidential report as HTML"][1]
    assert numbers(visit) == [("ε for 95 times in 100", "10.7")]
    assert not [button for button in visit.app.button if button.key == "use-epsilon"]


def test_a_mechanism_without_a_hardened_sampler_says_so(offered, few_runs):
    visit, found = offered("handover", **LINK | {"mechanisms": "Gamma"}, shown="Gamma")
    assert not {"OpenDP script", "Settings of this release"} & set(found)
    assert "hardened sampler of Gamma" in visit.words


def test_runs_are_told_of_each_number_and_that_all_items_leave_no_choice(offered):
    items = "a 90\nb 85\nc 85\n" + "\n".join(f"{name} {3 * ord(name)}" for name in "nmlkjihgfed")
    items += "\no 1"
    tied = {"data": "typed", "typed": items, "k": 14, "mechanisms": "PNFPeel"}
    visit, found = offered("handover", **tied, runs=20)
    report, judged = found["Confidential report as HTML"][1], runs_to_judge(14)
    for words in ("20 simulated", f"{judged:,} simulated releases around", "curve from 500."):
        assert words in report
    assert f"{judged:,} runs behind each ε" in found["Python script"][1]
    visit.line.slider(key="k").set_value(15).run()
    assert "15 items and k = 15" in offered.found["Confidential report as HTML"][1]
    only = "All 15 items are released, so that PNF-Peel chooses only their order, right with"
    assert visit.finding.startswith(only)
    assert "100%" not in visit.finding


def test_a_report_names_the_items_that_there_are_and_no_name_ends_it(offered):
    hostile = "</script><img src=x onerror=alert(1)> 90\n<b>b</b> 50\nc 1"
    link = {"data": "typed", "typed": hostile, "k": 10, "mechanisms": "LimitedDomain"}
    _, found = offered("handover", **link, named="true", runs=20)
    report = found["Confidential report as HTML"][1]
    assert "true answer, unprotected" in report
    assert "&lt;b&gt;b" in report
    assert "<img" not in report
    assert "<b>b" not in report


def test_several_releases_may_cost_nothing_beside_delta(offered):
    link = {"data": "typed", "typed": "8 4", "k": 1, "mechanisms": "CDPPeel", "releases": 2}
    _, found = offered("handover", **link, delta="0.0055", epsilon="0.00177", runs=20)
    assert "2 releases together" in found["Confidential report as HTML"][1]


def test_the_cheapest_stands_until_another_is_chosen_and_the_report_begins_with_it(offered):
    link = {"mechanisms": "Joint,InverseSensitivitySet", "runs": 50}
    visit, found = offered("handover", **link)
    assert "; Inverse sensitivity" in visit.finding
    assert "> 99.9999%" in visit.finding
    assert "shown" not in visit.address
    report = found["Confidential report as HTML"][1].split('id="plotly"')[0]
    at = [report.index(f"<h2>{title}</h2>") for title in ("The answer", "The question")]
    answer = report[slice(*at)]
    assert "ε = 1 (without δ): it" in answer
    assert answer.index("is not protected") < answer.index("The author chose")
    assert "&gt; 99.9999% (exact)" in answer
    of_the_app = ("sidebar", "this page", "this app", "beside your own", "this session")
    assert not [words for words in of_the_app if words in report]
    # nobody errs here: the figure of the target is first
    assert report.index("What is the smallest ε") < report.index("Accuracy compared with")
    visit.app.button(key="use-epsilon").click().run()
    epsilon = visit.address["epsilon"]
    assert visit.finding.endswith("with probability 95.1%")
    assert float(numbers(visit)[0][1]) <= float(epsilon)
    assert not [b for b in visit.app.button if b.key == "use-epsilon"]
    visit.app.segmented_control(key="shown").set_value("Joint").run()
    assert visit.address["shown"] == "Joint"


def test_the_title_says_whether_epsilon_is_large_enough(opened):
    found = smallest_epsilon(load_dataset("books"), PNFJoint(10, 1.0), "exact_set")
    wanted = rounded_up(found.epsilon)
    link = {"data": "books", "mechanisms": "Joint,PNFJoint", "runs": 20}
    small = opened("handover", **link, epsilon=wanted / 2)
    who = "PNFJoint, which needs least"
    assert f"for the right 10 with probability 95%, ε must be {wanted} ({who})" in small.finding
    assert small.finding.startswith("Not yet: ")
    enough = opened("handover", **link, epsilon=wanted)
    assert enough.finding.startswith("Accurate enough: PNFJoint")


def test_the_probability_asked_for_before_is_kept(offered):
    link = {"mechanisms": "Joint", "runs": 50, "chance": "0.5", "epsilon": "0.1"}
    visit, found = offered("handover", **link)
    needed = smallest_epsilon(load_dataset("games"), Joint(10, 1.0), "exact_set", 0.5).epsilon
    must = f"ε must be {rounded_up(needed)} (Joint)"
    assert visit.finding == f"No: the guarantee does not hold here, and {must} for the right 10"
    assert "for 50 times in 100" in found["Confidential report as HTML"][1].lower()


def test_a_delta_that_no_ledger_holds_is_named_in_place_of_commands(opened):
    visit = opened("handover", mechanisms="StableSet", runs=50, delta="0.5").whole()
    assert any("no ledger holds it" in note.value for note in visit.app.info)
    assert "dptopk publish" not in visit.words


def test_a_stand_in_gives_the_epsilon_and_the_private_one_is_not_told(offered):
    link = {"data": "typed", "typed": "a 90\nb 50\nc 1", "k": 1, "mechanisms": "Joint"}
    private = needed(smallest_epsilon(ItemCounts([90, 50, 1]), Joint(1, 1.0), "exact_set").epsilon)
    visit, found = offered("handover", **link, runs=20)
    assert private in found["Confidential report as HTML"][1]  # by itself it is told
    visit, found = offered("handover", **link, runs=20, stand_in="books")
    there = smallest_epsilon(load_dataset("books"), Joint(1, 1.0), "exact_set").epsilon
    assert numbers(visit) == [("ε for 95 times in 100", needed(there))]
    assert any(text.endswith(" · on Books (Goodreads))") for text in visit.said)
    told = visit.told()[1].splitlines()
    assert needed(float(told[-1].split()[5])) == needed(there)
    use = visit.app.button(key="use-epsilon")
    assert use.label == f"Use ε = {needed(there)}, from the public data"
    assert "your own top item" in visit.finding
    use.click().run()
    visit.whole()
    for label in ("Confidential report as HTML", "Registry record as YAML"):
        words = offered.found[label][1].split('id="plotly"')[0]
        assert "data (Books (Goodreads))" in words
        assert private not in words
    lost, found = offered("handover", **link, runs=20, stand_in="upload")
    assert numbers(lost) == []
    assert private not in found["Confidential report as HTML"][1].split('id="plotly"')[0]


def test_an_epsilon_is_known_to_be_of_the_stand_in_by_the_goal_that_was_asked(offered):
    """Choose ε may have been asked for anything; Publish itself asks for the right set."""
    asked = {"goal": "items_right", "least": 4, "chance": 0.9, "stand_in": "books"}
    goal = ("items_right", 4)
    there = smallest_epsilon(load_dataset("books"), Joint(5, 1.0), goal, probability=0.9)
    link = {"mechanisms": "Joint", "k": 5, "runs": 20} | asked
    enough = rounded_up(there.high)
    said = "for at least 4 of the right 5 items with probability 90%"
    for epsilon, is_shown in ((enough, True), (2 * enough, False)):
        _, found = offered("handover", **link, epsilon=epsilon)
        for label in ("Confidential report as HTML", "Registry record as YAML"):
            words = found[label][1].split('id="plotly"')[0]
            assert (f"on the public data (Books (Goodreads)), {said}" in words) is is_shown


def test_who_was_not_chosen_and_needs_less_is_told_to_whoever_decides(offered):
    visit, found = offered("handover", mechanisms="PNFJoint,PNFPeel", runs=20)
    (offer,) = (words for words in visit.said if "is not chosen" in words)
    assert offer in found["Confidential report as HTML"][1].split("The question")[0]
    visit.app.button(key="add-cheaper").click().run()
    assert "is not chosen" not in offered.found["Confidential report as HTML"][1]
    _, found = offered("handover", mechanisms="PNFJoint", runs=20, stand_in="news")
    answer = found["Confidential report as HTML"][1].split("The question")[0]
    assert "on the public data." in answer


LOG = b"timestamp,user_id,item,qty\n1,u1,pen,3\n2,u1,pen,9\n3,u2,pen,1\n4,u3,ink,1\n"


def test_nothing_handed_over_speaks_of_a_user_where_the_file_shows_that_none_is_protected(offered):
    visit, _ = offered("handover", mechanisms="PNFPeel,CDPPeel", runs=20, k=1)
    visit = dropped(visit, "log.csv", LOG)
    visit = answered(visit, "What do several rows of an item mean?", "stated")
    assert any("1 row with a user and an item of another" in text.value for text in visit.app.text)
    visit = used(visit).whole()
    found = offered.found
    one = "one unit of qty"
    assert any(f"holds for {one} of each item" in note.value for note in visit.main.info)
    assert f"a 50% prior on {one} rises to" in visit.captions[0]
    line = visit.line
    (apart,) = (box for box in line.selectbox if box.key == "neighbors")
    assert apart.options == [f"{one} joins or leaves", f"{one} is replaced"]
    assert any(f"fits a promise for {one} of 14: " in c.value for c in line.caption)
    record = yaml.safe_load(found["Registry record as YAML"][1])["deployment"]
    assert record["privacy_loss"]["privacy_unit"].startswith(f"Event: at most {one}")
    assert "no guarantee holds for a" in found["OpenDP script"][1]
    report = found["Confidential report as HTML"][1].split('id="plotly"')[0]
    assert report.index("not hold for a whole user") < report.index("is not protected")
    of_users = ("one person", "no single user", "one user joins", "Adding or removing one user")
    assert not [words for words in (*of_users, "at most once") if words in report]


def test_what_a_promise_rests_on_is_a_sentence_of_the_guarantee(offered):
    visit, found = offered("handover", **LINK, shown="Joint")
    record = yaml.safe_load(found["Registry record as YAML"][1])["deployment"]
    report = found["Confidential report as HTML"][1].split("what is promised</h2>")[1]
    for words in (
        record["privacy_loss"]["privacy_unit_details"],
        report.split("<h2>")[0],
        visit.words,
    ):
        assert "707 purchases repeat" in words
    assert "Upload the log itself" in visit.words


def test_what_was_not_drawn_before_somebody_stopped_is_not_proposed(opened, monkeypatch):
    real = work.run_pieces

    def stopped(pieces, key, *more):
        return real(dict([*pieces.items()][: 2 if key == "errors" else 5]), key, *more)

    monkeypatch.setattr(work, "run_pieces", stopped)
    visit = opened("handover", runs=7, shown="CDPPeel").whole()
    assert visit.app.segmented_control(key="shown").options == ["Joint", "PNFJoint"]


def test_the_slide_tells_of_the_mechanism_that_is_handed_over(opened):
    (line,) = opened("handover", present=1, shown="CDPPeel", runs=20).whole().slide_lines
    assert line.startswith("CDP-Peel at ε = 1: δ = ")
    assert len(line) < 350


def test_a_series_is_handed_over_at_what_it_costs_together(offered):
    """The proposal turns round, and report, record, checklist and code say it."""
    pair = {"mechanisms": "PNFJoint,Joint", "k": 10, "runs": 50}
    alone, _ = offered("handover", **pair)
    assert "PNFJoint releases" in alone.finding
    visit, found = offered("handover", **pair, releases=52)
    games = load_dataset("games")
    each = smallest_epsilon(games, Joint(10, 1.0), "exact_set").epsilon
    total = joint_cost(Joint(10, each), 52, 1e-6)
    now = joint_cost(Joint(10, 1.0), 52, 1e-6)
    assert "PNFJoint releases" not in visit.finding
    assert [number for _, number in numbers(visit)] == [needed(total.epsilon), needed(now.epsilon)]
    assert visit.app.button(key="use-epsilon").label == f"Use ε = {needed(each)}"
    assert visit.chart("together")["data"]
    assert any("2.75 for all 52, 0.167" in words for words in visit.said)
    report = found["Confidential report as HTML"][1]
    assert f"52 such releases cost ε = {needed(now.epsilon)} together at δ = 1e-6" in report
    record = yaml.safe_load(found["Registry record as YAML"][1])["deployment"]
    promised = {"epsilon": rounded_up(now.epsilon), "delta": 1e-6}
    assert record["privacy_loss"]["privacy_parameters"] == promised
    assert record["dp_variant"]["variant_name"] == "Approximate DP"
    assert record["deployment_model"]["release_type"] == "Many releases"
    assert now.by in record["accounting"]["composition"]
    _, printed = visit.told()
    assert f"52 together {total.epsilon}" in printed
    every, _ = offered("handover", **pair, releases=52, together="all")
    assert numbers(every)[0][0] == "ε of 52 for all 52 right 95 times in 100"
    assert float(numbers(every)[1][1]) > total.epsilon


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, in which commands are run."""
    monkeypatch.chdir(tmp_path)


def commands_of(visit) -> list[list[str]]:
    """The commands that the page shows, word by word."""
    (shown,) = (code.value for code in visit.main.code if "\ndptopk ledger" in code.value)
    words = [shlex.split(line, comments=True)[1:] for line in shown.splitlines()]
    return [command for command in words if command]


def published(visit, found, capsys) -> tuple[Entry, ...]:
    """Run the commands, which write the settings that the page also hands over."""
    creating, (_, content, _, name), *before, publish = commands_of(visit)
    file, settings = found["Settings of this release"]
    assert (name, json.loads(content)) == (file, json.loads(settings))
    Path(name).write_text(content, "utf-8")
    before.insert(0, creating)
    for command in before:
        assert main(command) == 0
    assert main([*publish, "--yes"]) == 0, capsys.readouterr().err
    assert "not the counts" not in capsys.readouterr().err
    return Ledger.open("budget.sqlite").entries


def some(kind):
    return kind(3, 1.0, **({"delta": 0.1} if kind.card.takes("delta") else {}))


FIRST = ("Joint", "InverseSensitivitySet", "LimitedDomain")  # with an order, a set, no list
PUBLISHED = [
    pytest.param(kind.card.key, marks=() if kind.card.key in FIRST else pytest.mark.grid)
    for kind in MECHANISMS.values()
    if not some(kind).why_not_exact
]


@pytest.mark.parametrize("key", PUBLISHED)
def test_the_page_ends_in_commands_that_make_exactly_this_release(offered, key, here, capsys):
    asked = {"mechanisms": key, "k": 5, "epsilon": "0.7", "delta": "1e-8", "neighbors": "swap"}
    visit, found = offered("handover", **asked, runs=20)
    assert any("This app draws nothing" in it.value for it in visit.app.markdown)
    Path("items.txt").write_text("\n".join(load_dataset("games").items), "utf-8")
    (entry,) = published(visit, found, capsys)
    assert entry.settings["mechanism"] == key
    assert [entry.settings[name] for name in ("k", "epsilon", "neighbors")] == [5, 0.7, "swap"]
    assert entry.settings.get("delta", 1e-8) == 1e-8
    assert Ledger.open("budget.sqlite").left.epsilon < 0.001  # the least that it takes


DRUGS = ["drug 6", "drug 1", "drug 2", "drug 9"]
HOSTILE = "-x `id` $(id) 'a' \"b\" ; # *.csv"


def test_a_list_of_events_is_named_and_not_counts_of_it(offered, here, capsys):
    events = "patient,drug\n" + "".join(f"p{n % 50},drug {n * n % 7}\n" for n in range(200))
    visit, _ = offered("handover", k=2, mechanisms="Joint", runs=20)
    uploaded(visit, "events.csv", events.encode())
    visit.whole()
    assert any("not counts made from it" in text.value for text in visit.app.markdown)
    Path("events.csv").write_text(events, "utf-8")
    Path("items.txt").write_text("\n".join(f"drug {n}" for n in range(7)), "utf-8")
    publish = commands_of(visit)[-1]
    published(visit, offered.found, capsys)
    # counts that were made of it are not read as it was
    counted = ["counts", "events.csv", "--user", "patient", "--item", "drug", "-o", "counts.csv"]
    assert main(counted) == 0
    capsys.readouterr()
    publish[publish.index("events.csv")] = "counts.csv"
    assert main([*publish, "--yes"]) != 0
    said = capsys.readouterr().err.splitlines()[-1]
    assert "read as the settings say of events (give that file, not counts made of it)" in said


def test_a_list_that_was_given_with_the_data_is_not_asked_for_again(offered, here, capsys):
    content, items = b"region,users\nEMEA,120\nNA,600\nother,9\n", b"NA\nLATAM\nEMEA"
    visit, _ = offered("handover", k=2, mechanisms="Joint", runs=20)
    dropped(visit, "regions.csv", content)
    visit.app.file_uploader(key="public-list").set_value(("-all.txt", items, "text/plain"))
    used(with_dialog(visit)).whole()
    assert not any("Write `items.txt`" in text.value for text in visit.app.markdown)
    Path("regions.csv").write_bytes(content)
    Path("-all.txt").write_bytes(items)
    assert commands_of(visit)[-1][-2:] == ["--items", "./-all.txt"]
    (entry,) = published(visit, offered.found, capsys)
    assert entry.counts == Ledger.open("budget.sqlite").fingerprint(
        ItemCounts([120, 0, 600], ["EMEA", "LATAM", "NA"])
    )


@pytest.mark.parametrize(("max_items", "listed"), [(None, None), (2, DRUGS)], ids=str)
def test_a_log_that_the_app_opened_is_named_with_its_columns(
    offered, here, capsys, max_items, listed
):
    events = "".join(f"p{n % 50},drug {n * n % 7},{n}\n" for n in range(200))
    Path("visits.csv").write_text(f"who,what?,day\n{events}", "utf-8")
    Path("items.txt").write_text("\n".join(f"drug {n}" for n in range(7)), "utf-8")
    visit, _ = offered("handover", k=2, mechanisms="Joint", runs=20, epsilon="0.9")
    counts = counts_from_events("visits.csv", "who", "what?", "day > 3", max_items, listed)
    columns = ("who", "what?", "day > 3", None)
    how = LogSettings(*columns, bool(listed), "users", "keep", max_items=max_items)
    read = {"result": IngestResult(counts, counts.report), "listed": "my.txt" if listed else ""}
    visit.app.session_state[keys.UPLOADED] = Uploaded(
        python="", how=how, filename="visits.csv", **read
    )
    visit.app.session_state["data"] = "upload"
    visit.app.run()
    visit.whole()
    assert "“day > 3”" in offered.found["Registry record as YAML"][1]
    assert "visits where day &gt; 3" in offered.found["Confidential report as HTML"][1]
    _, _, *before, publish = commands_of(visit)
    if max_items is None:
        options = ["--user=who", "--item=what?", "--where=day > 3", "--nulls=keep"]
        assert publish[5:-2] == ["--events", "visits.csv", *options]
    else:
        assert "--max-items=2" in before[-1]
    if listed:
        Path("my.txt").write_text("\n".join(listed), "utf-8")
        assert all(command[-5:-3] == ["--items", "my.txt"] for command in before)
    published(visit, offered.found, capsys)


def test_names_with_signs_that_are_not_seen_stay_out_of_commands():
    assert file_argument("Ärzte 2026.csv") == "Ärzte 2026.csv"
    assert file_argument("-") == "./-"
    assert file_argument("a\nrm -rf b.csv") == ""
    assert file_argument("vsc.\u202estnuoc") == ""


def test_an_upload_is_given_again_and_a_series_has_its_ledger(offered, here, capsys):
    content = b"name,users\ntea,3000\nmilk,2000\njam,900\n"
    visit, _ = offered("handover", k=2, mechanisms="Joint", runs=20, releases=52, epsilon="0.1")
    uploaded(visit, HOSTILE, content)
    visit.whole()
    Path(HOSTILE).write_bytes(content)
    Path("items.txt").write_text("tea\nmilk\njam\nrice", "utf-8")
    created, _, publish = commands_of(visit)
    assert publish[-4:] == ["--data", f"./{HOSTILE}", "--items", "items.txt"]
    (shown,) = (code.value for code in visit.main.code if "\ndptopk ledger" in code.value)
    assert "for these 52 releases" in shown
    assert any("that of all 52 together" in words for words in visit.said)
    assert any("a public catalogue" in words for words in visit.said)
    assert float(created[created.index("--epsilon") + 1]) < 52 * 0.1
    published(visit, offered.found, capsys)
    plan = Ledger.open("budget.sqlite").plan(Joint(2, 0.1), 52)
    assert [one.admitted for one in plan] == [True] * 51 + [False]


def test_without_users_the_command_says_what_is_protected(offered, here, capsys):
    visit, _ = offered("handover", k=2, mechanisms="Joint", runs=20)
    content = b"item,orders\na,3\na,2000\nb,400\nb,1\nc,1\nc,2\n"
    dropped(visit, "shop.csv", content)
    (label,) = (radio.label for radio in visit.app.radio if "row" in radio.label)
    answered(visit, label, "events")
    used(visit)
    visit.whole()
    Path("shop.csv").write_bytes(content)
    Path("items.txt").write_text("a\nb\nc\n", "utf-8")
    created, _, publish = commands_of(visit)
    assert publish[-1] == "--several"
    assert created[-1] == "one order"
    (entry,) = published(visit, offered.found, capsys)
    assert entry.settings["mechanism"] == "Joint"
