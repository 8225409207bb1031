"""A script that draws the same law with OpenDP, whose samplers are made for real releases."""

import json
import textwrap

from dptopk.ingest import Contribution
from dptopk.mechanisms import Mechanism
from dptopk.numerals import COUNT_UNIT
from dptopk.privacy import NeighborRelation

OLDEST = "0.14.2"
"""The oldest OpenDP the scripts are tested with."""

_SPENT = {
    "max_divergence": """\
print(f"OpenDP's ledger: epsilon = {top_k.map(CHANGE)}", file=sys.stderr)""",
    "zero_concentrated_divergence": """\
print(f"OpenDP's ledger: rho = {top_k.map(CHANGE)} (zero-concentrated)", file=sys.stderr)""",
}
_AT_DELTA = """
relaxed = dp.c.make_zCDP_to_approxDP(top_k).map(CHANGE)
print(f"  that is epsilon = {relaxed.epsilon(DELTA)} at delta = {DELTA}", file=sys.stderr)"""

_RELATION = {  # by whether it is no user that is protected, and whether one joins
    (False, True): "one user joins or leaves",
    (False, False): "one user is replaced by another",
    (True, True): "at most one {one} of each item is added, or taken away",
    (True, False): "at most one {one} of each item is taken away, and one of each added",
}


def opendp_script(
    mechanism: Mechanism,
    unit: str = COUNT_UNIT,
    contribution: Contribution = Contribution.ASSUMED,
) -> str | None:
    """Python that releases the same by OpenDP; none for what OpenDP does not have.

    Parameters
    ----------
    mechanism : Mechanism
        What is released, with all its settings.
    unit : str, optional
        What the counts are numbers of, in the plural.
    contribution : Contribution, optional
        What is known of how much one user can change a count.

    Returns
    -------
    str or None
        A script that reads a CSV file of items and counts, writes both ledgers to standard error
        and the released items, in order, to standard output.
    """
    elsewhere = mechanism.elsewhere
    if elsewhere is None:
        return None
    guarantee = mechanism.guarantee
    joins = mechanism.neighbors is NeighborRelation.ADD_REMOVE
    maker = "make_noisy_max(*space, scale=SCALE)"
    if mechanism.k > 1:
        maker = f"make_noisy_top_k(*space, k={mechanism.k}, scale=SCALE)"
    released = "top_k(counts)" if mechanism.k > 1 else "[top_k(counts)]"
    concentrated = elsewhere.measure == "zero_concentrated_divergence"
    ours = f"epsilon = {guarantee.epsilon!r}, delta = {guarantee.delta!r}"
    one = contribution.protects(unit)
    relation = _RELATION[bool(one), joins].format(one=one)
    joined = "they are added" if one else "a user joins"
    promised = (
        f"What is protected is at most one {one} of each item: no promise holds for one user,\n"
        "who may count for more."
        if one
        else "One user counts at most once for an item."
    )
    return f'''\
"""{mechanism.label}, k = {mechanism.k}, by OpenDP: python release.py counts.csv

counts.csv is what the page Data of dptopk's app calls "All items and their counts as CSV". A file
of your own has a line of column names and then a line an item: its name, its number of {unit}.
{promised} The list of items must be fixed without looking at the
data.
"""
# Needs: pip install "opendp>={OLDEST}"

import csv
import sys

import opendp.prelude as dp

dp.enable_features("contrib")  # OpenDP's own word for what its review has not wholly vetted

SCALE = {mechanism.scale!r}  # of the noise, in {unit}
CHANGE = 1  # the most that {"is protected of" if one else "one user moves"} any count
{f"DELTA = {guarantee.delta!r}" if guarantee.delta else "# no delta is used"}


def refuse(why):
    print(f"release.py: {{why}}", file=sys.stderr)
    raise SystemExit(2)


if len(sys.argv) != 2:
    refuse("name the file of counts: python release.py counts.csv")
try:
    with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
        header, *rows = filter(None, csv.reader(file))
except OSError as error:
    refuse(f"{{sys.argv[1]}} cannot be read: {{error.strerror}}")
except (ValueError, csv.Error):
    refuse(f"{{sys.argv[1]}} is no CSV file with a line of column names")
places = [header.index("item")] if "item" in header else []
places += [place for place, name in enumerate(header) if name.startswith("count (")]
if len(places) != 2:  # not from the app
    places = [0, 1]
    if len(header) != 2:
        refuse(f"{{sys.argv[1]}} needs two columns, items and counts, and has {{len(header)}}")
try:
    items = [row[places[0]] for row in rows]
    counts = [int(row[places[1]]) for row in rows]
except (IndexError, ValueError):
    refuse(f"{{sys.argv[1]}} needs an item and a whole count in every line")
if len(set(items)) < len(items):
    refuse("an item stands in several lines: add its {unit} up first")
if len(items) < {mechanism.k}:
    refuse(f"{{sys.argv[1]}} has {{len(items)}} items, and {mechanism.k} are to be released")

space = (
    dp.vector_domain(dp.atom_domain(T="i64")),
    # when {joined}, no count falls; when one is replaced, some may rise and others fall
    dp.linf_distance(T="i64", monotonic={joins}),
    dp.{elsewhere.measure}(),
)
top_k = dp.m.{maker}
{_SPENT[elsewhere.measure]}{_AT_DELTA if concentrated and guarantee.delta else ""}
print("dptopk's ledger: {ours}; {relation}", file=sys.stderr)
{_as_comment(elsewhere.proof)}
{_printed(elsewhere.report)}
for position in {released}:
    print(items[position])
'''


def _printed(sentence: str) -> str:
    """Lines that say it beside the ledgers."""
    pieces = textwrap.wrap(sentence, 84, drop_whitespace=False)
    words = "\n    ".join(map(json.dumps, pieces))
    return f"print(\n    {words},\n    file=sys.stderr,\n)\n" if sentence else ""


def _as_comment(sentences: str) -> str:
    return textwrap.fill(sentences, 96, initial_indent="# ", subsequent_indent="# ")
