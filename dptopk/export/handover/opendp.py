"""Write OpenDP scripts that sample from a mechanism's distribution with hardened samplers."""

import json
import textwrap

from dptopk.core.numerals import COUNT_UNIT, plural
from dptopk.core.privacy import NeighborRelation
from dptopk.data.ingest import Contribution
from dptopk.data.tables import GUARDED
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.external_samplers import NoisyTopK, VectorLaplace

OLDEST = "0.14.2"
"""The oldest OpenDP the scripts are tested with."""

_SPENT = {
    "max_divergence": """\
spent = release.map(CHANGE)
if spent > EPSILON * (1 + 1e-9):  # more than rounding
    refuse(f"OpenDP charges epsilon = {spent}, and {EPSILON} is promised")
print(f"OpenDP's ledger: epsilon = {spent}", file=sys.stderr)""",
    "zero_concentrated_divergence": """\
print(f"OpenDP's ledger: rho = {release.map(CHANGE)} (zero-concentrated)", file=sys.stderr)""",
}
_AT_DELTA = """
relaxed = dp.c.make_zCDP_to_approxDP(release).map(CHANGE)
print(f"  that is epsilon = {relaxed.epsilon(DELTA)} at delta = {DELTA}", file=sys.stderr)"""

_COUNTED = (r"counts?", r"users", r"count \(.*\)")  # names of columns, the last the app's
_RELATION = {  # by whether it is no user that is protected, and whether one joins
    (False, True): "one user joins or leaves",
    (False, False): "one user is replaced by another",
    (True, True): "at most one {one} of each item is added, or taken away",
    (True, False): "at most one {one} of each item is taken away, and one of each added",
}


def opendp_script(
    mechanism: Mechanism, unit: str = COUNT_UNIT, contribution: Contribution = Contribution.ASSUMED
) -> str | None:
    """Return a Python script for the same release with OpenDP; None if it has no equivalent.

    It reads a CSV file of items and counts, writes both ledgers to standard error and the released
    items, in order, to standard output.  ``unit`` is in the plural.
    """
    sampler = mechanism.external_sampler
    if sampler is None:
        return None
    guarantee = mechanism.guarantee
    joins = mechanism.neighbors is NeighborRelation.ADD_REMOVE
    of_one = contribution.protects(unit)
    change, release, positions = (
        _vector_laplace(mechanism.k, sampler, of_one)
        if isinstance(sampler, VectorLaplace)
        else _noisy_top_k(mechanism.k, sampler, of_one, joins=joins)
    )
    concentrated = sampler.measure == "zero_concentrated_divergence"
    ours = f"epsilon = {guarantee.epsilon!r}, delta = {guarantee.delta!r}"
    relation = _RELATION[bool(of_one), joins].format(one=of_one)
    promised = (
        f"At most one {of_one} of each item is protected: no guarantee holds for a whole user, who "
        "may count for more."
        if of_one
        else "One user counts at most once for an item."
    )
    if guarantee.max_items:
        promised += (
            f" Nothing here can see whether {'these are' if of_one else 'a user counts'} for at "
            f"most {plural(guarantee.max_items, 'item')}: remove the excess before counting, or "
            "the guarantee does not hold."
        )
    return f'''\
"""{mechanism.label}, k = {mechanism.k}, by OpenDP: python release.py counts.csv

counts.csv is what the page Data of dptopk's app calls "All items and their counts as CSV". A file
of your own has a line of column names and then one line per item. Its columns are called "item" and
"count", "counts" or "users"; name any others:

    python release.py counts.csv ITEM_COLUMN COUNT_COLUMN

{textwrap.fill(f"{promised} The list of items must be fixed without looking at the data.", 96)}
"""
# Needs: pip install "opendp>={OLDEST}"

import csv
import re
import sys

import opendp.prelude as dp

dp.enable_features("contrib")  # OpenDP's own word for what its review has not wholly vetted

SCALE = {mechanism.scale!r}  # of the noise, in {unit}
{change}
EPSILON = {guarantee.epsilon!r}
{f"DELTA = {guarantee.delta!r}" if guarantee.delta else "# no delta is used"}


def refuse(why):
    print(f"release.py: {{why}}", file=sys.stderr)
    raise SystemExit(2)


def column(names, holds):
    """Place of the only column that has such a name."""
    places = [place for place, name in enumerate(header) if re.fullmatch(names, name)]
    if len(places) != 1:
        told = ", ".join(map(repr, header))
        refuse(
            f"which column of {{path}} holds {{holds}} is not clear from its names, {{told}}: "
            "python release.py counts.csv ITEM_COLUMN COUNT_COLUMN"
        )
    return places[0]


if len(sys.argv) not in (2, 4):
    refuse("name the file of counts: python release.py counts.csv [ITEM_COLUMN COUNT_COLUMN]")
path = sys.argv[1]
try:
    with open(path, newline="", encoding="utf-8-sig") as file:
        header, *rows = filter(None, csv.reader(file))
except OSError as error:
    refuse(f"{{path}} cannot be read: {{error.strerror}}")
except (ValueError, csv.Error):
    refuse(f"{{path}} is not a CSV file with a line of column names")
if "dptopk_version" in header:  # the app's apostrophe before what a spreadsheet would run goes
    guarded = re.compile({GUARDED.pattern!r})
    header, *rows = ([guarded.sub("", cell) for cell in row] for row in [header, *rows])
names = [*map(re.escape, sys.argv[2:])] or ["items?", {"|".join(_COUNTED)!r}]
item, count = column(names[0], "the items"), column(names[1], "the counts")
if item == count:
    refuse("items and counts are two columns: name one for each")
pairs = []
for row in rows:
    if len(row) <= max(item, count) or not re.fullmatch("[0-9]{{1,15}}", row[count]):
        refuse(f"{{path}} needs an item and a whole count from 0 on in every line")
    pairs.append((row[item], int(row[count])))
pairs.sort(key=lambda pair: pair[0])  # an order that tells nothing of the counts
items, counts = [name for name, _ in pairs], [count for _, count in pairs]
if len(set(items)) < len(items):
    refuse("an item stands in several lines: add its {unit} up first")
if len(items) < {mechanism.k}:
    refuse(f"{{path}} has {{len(items)}} items, and {mechanism.k} are to be released")

{release}
{_SPENT[sampler.measure]}{_AT_DELTA if concentrated and guarantee.delta else ""}
print("dptopk's ledger: {ours}; {relation}", file=sys.stderr)
{_as_comment(sampler.proof)}
{_printed(sampler.report)}
{positions}
for position in positions:
    print(items[position])
'''


def _noisy_top_k(k: int, sampler: NoisyTopK, one: str, *, joins: bool) -> tuple[str, str, str]:
    """Return code for the change of the counts, the release, and the released positions."""
    maker = f"make_noisy_top_k(*space, k={k}, scale=SCALE)"
    joined = "they are added" if one else "a user joins"
    return (
        f"CHANGE = 1  # the most that {'is protected of' if one else 'one user moves'} any count",
        f"""\
space = (
    dp.vector_domain(dp.atom_domain(T="i64")),
    # when {joined}, no count falls; when one is replaced, some may rise and others fall
    dp.linf_distance(T="i64", monotonic={joins}),
    dp.{sampler.measure}(),
)
release = dp.m.{maker if k > 1 else "make_noisy_max(*space, scale=SCALE)"}""",
        f"positions = {'release(counts)' if k > 1 else '[release(counts)]'}",
    )


def _vector_laplace(k: int, sampler: VectorLaplace, one: str) -> tuple[str, str, str]:
    """Return the same parts as `_noisy_top_k`."""
    moved = "is protected of" if one else "one user moves"
    return (
        f"CHANGE = {sampler.change}.0  # the most that {moved} all counts, together",
        """\
counts = [float(count) for count in counts]  # noise finer than whole numbers: there are no ties
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
release = dp.m.make_laplace(*space, scale=SCALE)""",
        f"""\
noisy = release(counts)
positions = sorted(range(len(items)), key=noisy.__getitem__, reverse=True)[:{k}]""",
    )


def _printed(sentence: str) -> str:
    pieces = textwrap.wrap(sentence, 84, drop_whitespace=False)
    words = "\n    ".join(map(json.dumps, pieces))
    return f"print(\n    {words},\n    file=sys.stderr,\n)\n" if sentence else ""


def _as_comment(sentences: str) -> str:
    return textwrap.fill(sentences, 96, initial_indent="# ", subsequent_indent="# ")
