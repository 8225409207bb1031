"""Test that the code below a page repeats its draws."""

import re

import pytest

from dptopk.ui.formats import rounded


def check_fits(printed: str, n_draws: int, shown) -> None:
    said = re.findall(rf"^{n_draws} (\d+) ([\d.]+) ([\d.e-]+)$", printed, re.MULTILINE)
    assert [cells for cells, _, _ in said] == shown["cells"].astype(str).tolist()
    assert [f"{float(value):.1f}" for _, value, _ in said] == shown["χ²"].tolist()
    assert [rounded(float(value), 3) for _, _, value in said] == shown["p-value"].tolist()


@pytest.mark.parametrize("query", [{}, {"small": "all", "data": "classroom-paper_thousand"}])
def test_code_repeats_the_draws_that_are_laid_over(opened, query):
    visit = opened("exact", draws=1_000, seed=5, **query).whole()
    check_fits(visit.told()[1], 1_000, visit.table(1))


def test_code_repeats_the_draws_of_the_check(opened):
    visit = opened("privacy", seed=5)
    visit.app.button(key="check").click().run()
    check_fits(visit.whole().told()[1], 100_000, visit.table(1))
