"""Lesson 6: the joint exponential mechanism, one choice among all sequences of items."""

import math
from collections import Counter
from collections.abc import Mapping
from functools import cache

import numpy as np

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import Estimate
from dptopk.data.datasets import load_dataset
from dptopk.laws.distribution import output_distribution
from dptopk.laws.exact import probability_exact_sequence
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pictures import Limits
from dptopk.mechanisms.selections import COINS, ONE_CHOICE, ONE_CHOICE_BY_COINS, RACE
from dptopk.questions.errors import known_shares
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View, styles_of
from dptopk.ui import results, snippets
from dptopk.ui.formats import frequency, probability, rounded
from dptopk.ui.sections import how_it_chooses, limits_drawn
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart

_K = 3
_CASE = typed_case("20, 16, 12, 3, 2", _K)
_MECHANISM = lesson.built(ONE_CHOICE, _K)
_RACE, _COINS = lesson.built(RACE, _K), lesson.built(COINS, _K)
_SEQUENCES = 6  # in the figure
_NEARLY_ALL = 0.999  # of the probability of T
_MANY = 10**6  # sequences: more are given as a power of ten


def _example(view: View, step: int) -> lesson.Example:
    picture = _limits(_CASE.counts)
    origin = _CASE.origin((_MECHANISM,), "exact", seed=view.seed)
    moving = limits_drawn.moving_limit(_CASE.counts, _MECHANISM, _CASE.unit, view.seed, origin)
    return lesson.Example(
        LESSON.say("Example"),
        how_it_chooses.chart(
            picture,
            (),
            _MECHANISM,
            _CASE,
            "example",
            "The limit T, and how many items are eligible at each place.",
            _CASE.origin((_MECHANISM,), "exact"),
        ),
        moving=moving,
    )


def _limits(counts: ItemCounts, mechanism: Mechanism = _MECHANISM) -> Limits:
    places = np.arange(min(mechanism.k, counts.d))
    picture = mechanism.picture(counts.sorted, places, np.random.default_rng(0))
    assert isinstance(picture, Limits)
    return picture


def _answer(step: int) -> lesson.Answer:
    both = (_MECHANISM, _RACE)
    right = [100 * probability_exact_sequence(_CASE.counts, m) for m in (*both, _COINS)]
    law = output_distribution(_CASE.counts, _MECHANISM)
    rows = law.sequences[:_SEQUENCES]
    log_p = {}
    for m in both:
        of_shown = m.log_pmf(_CASE.counts, rows)
        log_p[m.label] = np.append(of_shown, np.log1p(-np.exp(of_shown).sum()))
    words = {label: [*map(probability, values.tolist())] for label, values in log_p.items()}
    figure = figures.output_probabilities(
        [*law.labels()[:_SEQUENCES], f"{len(law) - _SEQUENCES} others"],
        {label: np.exp(values) for label, values in log_p.items()},
        styles_of(both),
        words=words,
        beside=True,
    ).update_xaxes(range=lesson.WHOLE)
    code = """
for mechanism in mechanisms:
    print(mechanism.label, 100 * probability_exact_sequence(counts, mechanism))
"""
    return lesson.Answer(
        right[0],
        f"{right[0]:.1f} of 100",
        f"exact; {_RACE.label}: {right[1]:.1f}; {_COINS.label}: {right[2]:.1f}",
        LESSON.say("Why"),
        Chart(
            figure,
            "answer",
            f"The likeliest {_SEQUENCES} of {len(law)} sequences, and the others together.",
            _CASE.origin(both, "exact"),
            height=figures.height_of_rows(_SEQUENCES + 1, 2),
            finding=f"The right sequence: {both[0].label} {right[0]:.1f}%, {both[1].label} "
            f"{right[1]:.1f}%.",
        ),
        snippets.small(_CASE.python, (*both, _COINS), code),
        lesson.at_every(
            "Probability of A, B, C in order",
            _MECHANISM,
            lambda epsilon: {
                m.label: probability_exact_sequence(_CASE.counts, m.replaced(epsilon=epsilon))
                for m in both
            },
            both,
        ),
    )


def _on_data(view: View) -> lesson.OnData:
    mechanism = view.build(ONE_CHOICE, view.k)
    picture = _limits(view.counts, mechanism)
    title = "The limit T on the data, and how many items are eligible."
    origin = view.origin((mechanism,), "exact")
    chart = how_it_chooses.chart(picture, (), mechanism, view, "data", title, origin)
    k = min(view.k, view.counts.d)
    reached = int(view.counts.sorted.top(k)[-1] - view.counts.counts.min())
    rare = reached >= picture.stop[-1] and picture.probabilities.sum() > _NEARLY_ALL
    sentences = [chart.finding]
    if picture.median is not None:
        sentences.append(_number_within(view, k, picture.median))
    left = LESSON.say(f"On the data: a {'rare' if rare else 'likely'} limit", k=k)
    n_items = f"{view.counts.d:,}"
    sentences.append(
        LESSON.say("On the data", reached=f"{reached:,}", n_items=n_items, k=k, left=left)
    )
    known = {
        m.label: results.remembered(known_shares, view.counts, m).get("exact_sequence")
        for m in (mechanism, view.build(RACE, view.k), view.build(COINS, view.k))
    }
    each = ", ".join(
        f"{label} {frequency(right.log, right.log_complement)}"
        for label, right in known.items()
        if right
    )
    if each:
        right = "right" if view.k > 1 else "one place right"
        sentences += [LESSON.say(f"On the data: {right}", k=view.k, each=each), _worse(view, known)]
    return lesson.OnData(" ".join(filter(None, sentences)), chart)


def _number_within(view: View, k: int, limit: int) -> str:
    """Say how many sequences have a loss of at most ``limit``."""
    by_size = view.counts.sorted
    eligible = by_size.n_at_least(by_size.top(k) - limit).tolist()  # at each place
    n = math.prod(n - place for place, n in enumerate(eligible))
    if n == 1:
        return LESSON.say("On the data: only the right sequence", limit=f"{limit:,}")
    n_written = f"{n:,}" if n < _MANY else f"About $10^{{{round(math.log10(n))}}}$"
    return LESSON.say("On the data: sequences within the limit", n=n_written, limit=f"{limit:,}")


def _worse(view: View, known: Mapping[str, Estimate | None]) -> str:
    """Return why the single choice is right less often than the rounds, where it is."""
    joint, race, coins = known.values()
    label, _, by_coins = known
    if joint is None or race is None:
        return ""
    if joint.log >= race.log:
        if coins is None or joint.log >= coins.log:
            return ""
        return LESSON.say("Worse: only the coins are better", coins=by_coins)
    if view.k <= 2:
        return LESSON.say("Worse: few places", joint=label, k=view.k)
    if joint.probability >= 0.5:
        return LESSON.say("Worse", joint=label)
    epsilon = rounded(view.epsilon, 3)
    return LESSON.say("Worse: many sequences", joint=label, epsilon=epsilon)


@cache
def _numbers() -> dict[str, object]:
    example, games = _CASE.counts, load_dataset("games")
    sequences = output_distribution(example, _MECHANISM).sequences
    of_each = (example.sorted.top(_K) - example.counts[sequences]).max(axis=1)
    losses = Counter(of_each.tolist())  # from that of the right sequence, which is 0
    total = sum(n * math.exp(-loss / 2) for loss, n in losses.items())
    n_sequences = sum(losses.values())
    left = [example.counts[place:].mean() for place in range(_K)]
    asked = [
        ("", example, _K, 1.0),
        ("_crowded", ItemCounts([*example.counts.tolist(), *[1] * 1_000]), _K, 1.0),
        ("_two", example, 2, 1.0),
        ("_04", example, _K, 0.4),
        ("_05", example, _K, 0.5),
        ("_games", games, 10, 1.0),
        ("_games_01", games, 10, 0.1),
    ]
    for below in (30, 33, 41, 112):  # a thousand items, in users below place 3
        far = ItemCounts([120, 116, 112] + [112 - below] * 1_000)
        asked.append((f"_{below}", far, _K, 1.0))
    kinds: dict[str, type[Mechanism]] = {
        "joint": ONE_CHOICE,
        "peel": RACE,
        "coins": COINS,
        "both": ONE_CHOICE_BY_COINS,
    }
    right = {
        name + where: probability_exact_sequence(counts, lesson.built(kind, k, epsilon))
        for where, counts, k, epsilon in asked
        for name, kind in kinds.items()
    }
    return {
        **{name: f"{100 * p:.1f}" for name, p in right.items()},
        "joint_crowded": f"{100 * right['joint_crowded']:.4f}",
        "peel_crowded": f"{100 * right['peel_crowded']:.2f}",
        "joint_games_01": f"{round(1 / right['joint_games_01'], -3):,.0f}",
        "peel_games_01": f"{round(1 / right['peel_games_01'], -3):,.0f}",
        "n_sequences": n_sequences,
        "n_4": losses[4],
        "crowd": f"{round(1_000 * 999 * 998 * math.exp(-19 / 2), -3):,.0f}",
        "sum": f"{total:.3f}",
        "share": f"{1 / total:.3f}",
        "mean_loss": f"{sum(loss * n for loss, n in losses.items()) / n_sequences:.1f}",
        "rises": f"{float(example.counts[:_K].sum() - sum(left)):.1f}",
    }


LESSON = lesson.Lesson("one_choice", _CASE, _example, _answer, _on_data, _numbers)
