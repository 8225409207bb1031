"""Prepare the report, the script, the record and the checklist of a release."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dptopk.core.errors import METRICS
from dptopk.core.parameters import Flag
from dptopk.data import sources
from dptopk.data.ingest import Contribution, LogSettings
from dptopk.data.sources import ITEM_LIST_CAVEAT, Source
from dptopk.export.handover import drawn_by, file_argument, publish_commands
from dptopk.mechanisms import Mechanism
from dptopk.questions import QUESTIONS, settings
from dptopk.questions.epsilon import JUDGED
from dptopk.questions.errors import errors_of
from dptopk.questions.handover import TITLE, Documents
from dptopk.questions.origin import Origin
from dptopk.questions.saved import saved_text
from dptopk.questions.view import View
from dptopk.tuning.repeated import joint_cost
from dptopk.tuning.search import runs_to_judge
from dptopk.ui import address, results, show, snippets
from dptopk.ui.controls import goals, inputs
from dptopk.ui.formats import compact, needed, stated
from dptopk.ui.sections import report
from dptopk.ui.sections.comparison import side_by_side
from dptopk.ui.sections.proposal import Proposal, cost as cost_of
from dptopk.ui.sentences import leaders, texts
from dptopk.ui.show import Look, Offer, Screen, Table, Tile, file_stem
from dptopk.ui.uploads import session_uploads
from dptopk.ui.uploads.session_uploads import Uploaded

NAMED = Flag(
    "named",
    "True top k in the report",
    False,
    help="Whether the report lists the true items with their counts, which are not protected.",
)
_HARDLY = 0.001  # a probability below which a title says never
NOTHING_DRAWN = (
    "This app draws nothing for publication; these commands make exactly this release, where the "
    "package is installed (`pip install .` in a checkout). `dptopk ledger create` creates the "
    "ledger, one budget for everything ever released about these people. Its ε and δ here just "
    "suffice for this release: choose them larger if more is to be released. `dptopk publish` "
    "states the guarantee and its cost, asks for confirmation, charges the ledger, and then draws "
    "once, with random bits of the operating system. Keep the settings as confidential as the "
    "counts: whoever guesses all counts can check the guess by their SHA-256."
)
_ADMITTED = (
    "The ledger's ε may differ from that of all {:,} together, above, which composes a fixed "
    "number of equal releases: a ledger admits any releases as they come, and adds "
    "up their ε or zCDP."
)
_LISTED = (
    "Write `items.txt` yourself before: all possible items, one per line, fixed without looking at "
    "the data, for instance the names of a public catalogue."
)
_LIST_GIVEN = (
    "`--items` names the public list that you gave with the data, one name per line; if you pasted "
    "it, save it as `items.txt` before."
)
BY_OPENDP = (
    "Instead, where OpenDP is prescribed: it samples from the same distribution, but charges no "
    "ledger of dptopk. `python release.py counts.csv`, where counts.csv is “All items and their "
    "counts as CSV” under “Take away” on the page Data, or a file with the columns `item` and "
    "`users`."
)
BY_SQL = (
    "An SQL query makes this release where the events are stored: in a table of users and items, "
    "it counts each pair once."
)


def draw(view: View, place: Any, screen: Screen) -> None:
    """Draw the controls, what is proposed, the documents of its release, and what to check.

    The mechanism that needs the smallest ε is the default.  Mechanisms whose runs were stopped
    cannot be proposed; end the page if all were.
    """
    with screen.place:
        repeated = goals.repetition(place, total=False)
        view = replace(view, releases=repeated.releases) if repeated.several else view
        cost = cost_of(view, repeated)
        errors = errors_of(view, settings.METRIC.default, results.IN_TURNS)
        ran = {m.label: m for m in errors.mechanisms}
        by_label = ran or {m.label: m for m in view.mechanisms}
        best = leaders.best(leaders.best_known(errors), errors.metric) if ran else leaders.Best(())
        answers = cost.solved.answers.items()
        enough = [label for label, least in answers if texts.worth_a_promise(least.high)]
        likely = [by_label[label] for label in [*enough, *best.labels] if label in by_label]
        mechanism = inputs.one_mechanism(place, list(by_label.values()), *likely[:1])
        switches = place.container(width="content", gap=None)  # one above the other: a single row
        public, named = inputs.flag(switches, settings.TUNED_PUBLIC), inputs.flag(switches, NAMED)
        if not ran:
            show.done()
        compared = side_by_side(view, errors, logarithmic=True, proposed=mechanism.label)
    solved = cost.solved if cost.is_shown(view, public) else None
    less = solved.less if solved else None
    costs = {}
    if view.releases > 1:
        costs = {m.label: joint_cost(m, view.releases, view.delta) for m in view.mechanisms}
    together = costs.get(mechanism.label)
    proposal = Proposal(
        mechanism,
        errors,
        solved.answers if solved else {},
        best,
        cost.stand_in,
        less.sentence if less else "",
        cost.requirement,
        together,
    )
    tuned_on = cost.tuned_on(mechanism, view)
    documents = Documents(view, mechanism, public, tuned_on, together)
    origin = view.origin([mechanism], "from the settings")
    points = Table(documents.checklist(), "checklist", TITLE, origin)
    # the numbers of the page and of each table of the report
    of_errors = snippets.errors(view.n, view.seed, METRICS[settings.METRIC.default])
    of_cost = cost.code(view) if solved else ""
    code = snippets.snippet(view, f"# {report.BESIDE}\n{of_errors}\n{of_cost}")
    of_epsilon = report.smallest(cost, view) if solved else None
    sections = report.sections(
        documents, proposal, compared, of_epsilon, points, named=named, code=code, costs=costs
    )
    once = (view.caveat, ITEM_LIST_CAVEAT)
    title = f"The top {view.k} of {view.source.title}, released with differential privacy"
    all_right = f" · all {proposal.releases:,}: {proposal.all_right}" if together else ""
    right = Tile(
        f"The right {mechanism.k if mechanism.k > 1 else 'item'}, by {mechanism.label}",
        proposal.right.brief,
        f"{proposal.right.how} · in any order, up to ties{all_right}{proposal.unlikely}",
    )
    guarantee = mechanism.guarantee
    delta = f"δ = {stated(guarantee.delta)}" if guarantee.delta else "without δ"
    odds = texts.odds_at_most(guarantee.epsilon, guarantee.delta, view.source)
    budget = " · ".join(filter(None, (delta, odds)))
    numbers = _numbers(proposal, solved.tiles if solved else {}, view.source)
    slide = [f"{mechanism.label} at ε = {stated(guarantee.epsilon)}: {budget}"]
    slide += [f"{one.label}: {one.value} ({one.kind})" for one in (right, *numbers)]
    chart = (solved.chart if solved else None) or compared.chart
    chart = replace(chart, slide=f"{'. '.join(slide)}.".replace(" · ", ", "))
    screen.title(_title(proposal, not view.source.repeats, view.counts.d))
    with screen.place:
        with st.container(key="offers"):  # as high for one number as for two
            for one in numbers:
                how = " · ".join(filter(None, [one.kind, one.help]))
                sentence = f"**{one.label}: {one.value}** ({how})"
                show.offer(Offer(sentence, one.button, ":material/arrow_forward:"))
        show.lead(chart)
    promised = report.guarantee_and_assumptions(view, mechanism, together)
    st.header("Draw the list", anchor=False)
    if view.caveat in promised and not view.source.repeats:
        show.note(view.caveat)
    if proposal.use and (proposal.another or 0.0) > mechanism.epsilon:
        show.note(
            f"These commands spend ε = {compact(mechanism.epsilon)}, at which {mechanism.label} "
            f"releases {_right_items(mechanism.k)} with probability {proposal.right.brief}: take "
            "the larger ε above if that is too rare."
        )
    publishing(view, mechanism, origin)
    whole, deployment = partial(report.page, title, sections, once), documents.record()
    scripts = {
        "OpenDP script": ("py", documents.script(), "python", BY_OPENDP),
        "SQL query": ("sql", documents.query(), "sql", BY_SQL),
    }
    with st.container(horizontal=True):
        _offer("Confidential report as HTML", "report.html", whole, origin, "primary")
        for label, (ending, script, *_) in scripts.items():
            if script:
                _offer(label, f"release.{ending}", script, origin)
        _offer("Registry record as YAML", "deployment.yaml", deployment, origin)
    for _, script, language, words in scripts.values():
        if script:
            st.markdown(words)
            st.code(script, language=language, wrap_lines=True)
    with show.below(chart, f"{right.label}: {right.value} · {right.kind} · {budget}", cost.note):
        st.markdown(("\n\n" if costs else " ").join(one for one in promised if one != view.caveat))
        if solved and solved.headline:
            st.markdown(solved.headline)
        if less:
            show.offer(less)
    st.header("What is established, and what is left to do", anchor=False)
    show.html_table(points, "sentences")
    st.header("Record for the registry of deployments", anchor=False)
    st.code(deployment, language="yaml", wrap_lines=True)
    runs_are = "runs of each mechanism for its errors"
    if proposal.by_runs:
        runs_are += f"; for its smallest ε {runs_to_judge(view.k):,} {JUDGED}"
    how_run = {"runs": view.n, "seed": view.seed, "runs_are": runs_are}
    of_code = view.origin(view.mechanisms, "exact or simulated, as marked", **how_run)
    show.take_away(code, of_code, mechanisms=(mechanism.card.key,))


def _offer(label: str, name: str, content: Any, origin: Origin, look: Look = "secondary") -> None:
    """Draw the button of a text file, whose name is completed by the settings of its origin."""
    part, ending = name.split(".")
    called = f"{file_stem(part, origin)}.{ending}"
    show.download(label, called, content, f"file-{part}", look=look)


def publishing(view: View, mechanism: Mechanism, origin: Origin) -> None:
    """Show the commands that make exactly this release, and the settings that they read."""
    if mechanism.why_not_exact:
        st.markdown(drawn_by(mechanism))
        return
    values = address.in_force() | dict(view.parameters)
    values |= {"k": view.k, "mechanisms": (mechanism.card.key,)}
    saved = saved_text(QUESTIONS["handover"], values, view.source)
    held = session_uploads.kept() if values["data"] == sources.UPLOAD else None
    list_file = file_argument(held.listed) or "items.txt" if held and held.listed else ""
    counting, data, given = _given(held, view.source, list_file) if held else ([], [], "")
    try:
        commands = publish_commands(
            mechanism,
            settings_file=f"{file_stem('publish', origin)}.json",
            settings=saved,
            counting=counting,
            data=data,
            listed=list_file,
            protects=view.protects,
            releases=view.releases,
            delta=view.delta,
        )
    except ValueError as error:
        show.note(str(error))
        return
    listed = _LISTED if mechanism.guarantee.fixed_items else ""
    listed = _LIST_GIVEN if list_file else listed
    admitted = _ADMITTED.format(view.releases) if view.releases > 1 else ""
    if listed:
        st.markdown(listed)
    st.code(commands, language="bash", wrap_lines=True)
    st.markdown(" ".join(filter(None, (NOTHING_DRAWN, admitted, given))))
    with st.container(horizontal=True):
        _offer("Settings of this release", "publish.json", saved, origin)


def _given(held: Uploaded, source: Source, list_file: str) -> tuple[list[str], list[str], str]:
    """Return words of a command that counts before, words that give the data, and a sentence.

    ``list_file`` is that of the public list, if there is one.
    """
    name = file_argument(held.filename)
    file = name or "data.csv"
    renamed = "" if name else " (`data.csv` stands for its name, which has invisible characters)"
    how = source.how
    if not isinstance(how, LogSettings):
        log = source.contribution is Contribution.COUNTED and source.n_users is not None
        and_not = ", the log of events itself, not counts made from it" if log else ""
        return [], ["--data", file], f"The data are the file that you uploaded{renamed}{and_not}."
    other = ("listed", "unit", "max_items")
    given = {key: it for key, it in how.saved().items() if it is not None and key not in other}
    options = [f"--{key.replace('_', '-')}={value}" for key, value in given.items()]
    where = f"the log that you opened{renamed}: run them in the folder of the app's logs."
    if source.max_items is None:
        return [], ["--events", file, *options], f"The data are {where}"
    counting = ["dptopk", "counts", f"--max-items={source.max_items}", *options]
    counting += [*(["--items", list_file] if list_file else []), "-o", "counts.csv", file]
    return counting, ["--data", "counts.csv"], f"`dptopk counts` makes the counts from {where}"


def _right_items(k: int) -> str:
    return f"the right {k}" if k > 1 else "the right item"


def _title(proposal: Proposal, holds: bool, d: int) -> str:
    """Say whether the guarantee ``holds`` on the data, and which ε the mechanism needs.

    Where a stand-in is used, the ε is that on the stand-in, and the probability that on the data.
    Where all ``d`` items are released, only their order can be wrong.
    """
    mechanism, stand_in = proposal.mechanism, proposal.stand_in
    what = _right_items(mechanism.k)
    no_promise = "No: the guarantee does not hold here"
    if mechanism.k >= d and not mechanism.outputs.short:
        every = f"All {d:,} items are" if d > 1 else "The only item is"
        before = f"{every} released, so that {mechanism.label} chooses "
        often = f"{proposal.in_order.brief} at ε = {compact(mechanism.epsilon)}"
        in_order = mechanism.outputs.ordered and d > 1
        before += f"only their order, right with probability {often}" if in_order else "nothing"
        return before if holds else f"{no_promise}; {before[0].lower()}{before[1:]}"
    if proposal.use and proposal.releases == 1 and (proposal.another or 0.0) > mechanism.epsilon:
        must_be, who = f"ε must be {compact(proposal.another or 0.0)}", mechanism.label
        on = f"on {stand_in.called} " if stand_in else ""
        if not holds:
            return f"{no_promise}, and {on}{must_be} ({who}) for {what}"
        often = f"for {what} with probability {proposal.percent}%"
        cheapest = len(proposal.needed) > 1 and next(iter(proposal.needed)) == who
        who += ", which needs least" * cheapest
        return f"Not yet: {on}{often}, {must_be} ({who}), not {compact(mechanism.epsilon)}"
    if stand_in:
        what = f"your own top {mechanism.k if mechanism.k > 1 else 'item'}"
    before = f"{mechanism.label} releases {what} with probability {proposal.right.brief}"
    if proposal.right.high < _HARDLY:
        before = f"{mechanism.label} practically never releases {what}"
    if not holds:
        return f"{no_promise}; {before}"
    before += f" at ε = {compact(mechanism.epsilon)}"
    return f"Accurate enough: {before}" if proposal.is_enough else before


def _numbers(proposal: Proposal, costs: Mapping[str, Tile], source: Source) -> list[Tile]:
    """Return tiles: the ε needed, and the total of several releases."""
    cost, n, tiles = proposal.together, proposal.releases, []
    if tile := costs.get(proposal.mechanism.label):
        label = f"{'ε' if cost is None else f'ε of {n:,}'} for {proposal.often}"
        there = f" · on {proposal.stand_in.called}" if proposal.stand_in else ""
        tiles.append(Tile(label, tile.value, tile.kind + there, button=proposal.use))
    if cost is not None:
        at = f"at δ = {stated(cost.delta)} · " if cost.delta else ""
        odds = texts.odds_at_most(cost.epsilon, cost.delta, source)
        kind = f"{at}added up: {needed(n * proposal.mechanism.epsilon)}{f' · {odds}' * bool(odds)}"
        tiles.append(Tile(f"ε of all {n:,} together", needed(cost.epsilon), kind, help=cost.by))
    return tiles
