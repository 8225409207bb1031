"""Lesson 4: permute-and-flip as coin flips in random order."""

from functools import cache

import numpy as np

from dptopk import figures
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.laws.distribution import output_distribution
from dptopk.laws.exact import probability_exact_sequence
from dptopk.laws.privacy_losses import privacy_loss
from dptopk.mechanisms.pictures import Coins
from dptopk.mechanisms.selections import COINS, RACE
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View
from dptopk.simulation.single_releases import MOST_SEEDS
from dptopk.simulation.trials import generator_for
from dptopk.ui import snippets
from dptopk.ui.formats import frequency, plain
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart
from dptopk.ui.widgets.moving_draws import MovingDraws, PlayedDraw

_CASE = typed_case("10, 9, 8, 5", 1)
_MECHANISM, _RACE = lesson.built(COINS, 1), lesson.built(RACE, 1)
_LESS, _SAME, _MORE = "less", "same", "more"


def _example(view: View, step: int) -> lesson.Example:
    items, heads = _CASE.counts.items, _heads()
    order, won = _flips(view.seed)
    n = won + 2
    step = min(step, n)
    if step == 0:
        order = np.arange(_CASE.counts.d)
        words = LESSON.say("Step 0")
    elif step == 1:
        words = LESSON.say("Step 1", items=", ".join(items[i] for i in order))
    else:
        words = LESSON.say("Heads" if step == n else "Tails", item=items[order[step - 2]])
    n_tried = max(step - 1, 0)
    results = [": heads" if place == won else ": tails" for place in range(n_tried)]
    results += [""] * (order.size - n_tried)
    names = [
        f"{items[i]}, {_CASE.counts.counts[i]}{result}"
        for i, result in zip(order, results, strict=True)
    ]
    out = [place < min(n_tried, won) for place in range(order.size)]
    described = "; ".join(
        f"{name}: {100 * p:.1f}%" for name, p in zip(names, heads[order], strict=True)
    )
    return lesson.Example(
        LESSON.say("Example"),
        Chart(
            figures.amounts(
                names,
                (100 * heads[order]).tolist(),
                "probability of heads (%)",
                "%{x:.1f}%",
                [not is_out for is_out in out],
                outlined=[won] if n_tried > won else [],
            ),
            "example",
            "Coins of four items.",
            _CASE.origin(
                (_MECHANISM,),
                "one draw of the coins" if step else "exact",
                seed=view.seed if step else None,
            ),
            height=300,
            finding=f"Probability of heads, from the top. {described}.",
        ),
        n,
        words,
        _played(view),
    )


def _played(view: View) -> MovingDraws:
    """Return a hundred draws of the coins, the first of them the one of the steps."""
    counts, heads = _CASE.counts, _heads()
    coin = tuple(f"{100 * p:.0f}%" for p in heads)
    draws = []
    for number in range(lesson.N_DRAWS):
        order, won = _flips(seed := (view.seed + number) % MOST_SEEDS)
        frames = [tuple((0.0, word) for word in coin)]
        for place, item in enumerate(order[: won + 1].tolist()):
            last = list(frames[-1])
            face = "heads" if place == won else "tails"
            last[item] = (float(place == won), f"{place + 1}. {face}")
            frames.append(tuple(last))
        winner = int(order[won])
        words = (
            f"Draw {number + 1} of {lesson.N_DRAWS}, seed {seed}: {counts.items[winner]} is the "
            f"first to show heads, as number {won + 1} of the order."
        )
        draws.append(PlayedDraw(tuple(frames), winner, words))
    return MovingDraws(
        "Coins of four items",
        "On each coin stands its probability of heads.",
        "Turn the coins",
        _MECHANISM.card.style.color,
        ("item, count", "coins", f"released, of {lesson.N_DRAWS}"),
        tuple(counts.items),
        tuple(f"{item}, {count}" for item, count in counts),
        coin,
        "4.4em",
        800,
        tuple(draws),
        probability_exact_sequence(counts, _RACE),
        "the race",
    )


def _flips(seed: int) -> tuple[IntArray, int]:
    """Draw the order of the coins under a seed, and the place in it of the first heads, from 0."""
    heads, rng = _heads(), generator_for(_MECHANISM, seed)
    order, shown = rng.permutation(heads.size), rng.random(heads.size)
    return order, int(np.argmax(shown[order] < heads[order]))  # A's coin never fails


def _heads() -> FloatArray:
    """Return the probability of heads of each item of the example."""
    counts = _CASE.counts
    picture = _MECHANISM.picture(counts.sorted, np.arange(counts.d), np.random.default_rng(0))
    assert isinstance(picture, Coins)
    heads: FloatArray = np.exp(picture.log_heads)
    return heads


def _answer(step: int) -> lesson.Answer:
    both = (_RACE, _MECHANISM)
    chart, _, first = lesson.one_round(both, _CASE, 1, "answer", "Which item is released.")
    ranks = np.arange(_CASE.counts.d)[:, None]
    race, coins = np.exp([first[_RACE.label], first[_MECHANISM.label]]).tolist()
    code = """
for mechanism in mechanisms:
    law = output_distribution(counts, mechanism)
    print(mechanism.label, dict(zip(law.labels(), (100 * law.probabilities).tolist())))
"""
    return lesson.Answer(
        _SAME if np.isclose(race, coins) else _MORE if coins > race else _LESS,
        f"{100 * coins:.1f}%",
        f"exact; the race: {100 * race:.1f}%",
        LESSON.say("Why"),
        chart,
        snippets.small(_CASE.python, both, code),
        lesson.at_every(
            "Probability that A is released",
            _MECHANISM,
            lambda epsilon: {
                m.label: probability_exact_sequence(_CASE.counts, m.replaced(epsilon=epsilon))
                for m in both
            },
            both,
        ),
        tuple(np.exp(_MECHANISM.log_pmf(_CASE.counts, ranks)).tolist()),
        (_RACE.label,),
    )


def _on_data(view: View) -> lesson.OnData:
    both = tuple(view.build(m, 1, epsilon=view.epsilon / view.k) for m in (RACE, COINS))
    place, words = lesson.closest_round(view)
    chart, names, first = lesson.one_round(
        both, view, place, "data", f"Which item takes place {place} of {view.k}."
    )
    race, coins = (frequency(first[m.label]) for m in both)
    sentence = LESSON.say("On the data", item=plain(names[0]), coins=coins, race=race)
    return lesson.OnData(f"{words} {sentence}", chart)


@cache
def _numbers() -> dict[str, object]:
    counts = _CASE.counts
    laws = (output_distribution(counts, mechanism) for mechanism in (_MECHANISM, _RACE))
    coins, race = (
        float(law.probabilities @ (10 - counts.counts[law.sequences[:, 0]])) for law in laws
    )
    losses = privacy_loss(ItemCounts([5, 5]), _MECHANISM, ItemCounts([6, 5]))
    return {
        "race_right": f"{100 * probability_exact_sequence(counts, _RACE):.1f}",
        "coins_error": f"{coins:.3f}",
        "race_error": f"{race:.3f}",
        "ratio": f"{coins / race:.2f}",
        "interval": f"{np.ptp(losses):.2f}",
    }


LESSON = lesson.Lesson("coins", _CASE, _example, _answer, _on_data, _numbers)
