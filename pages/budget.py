"""How much noise does a budget need?  Calibrations of CDP-Peel compared."""

import streamlit as st

from dptopk import figures
from dptopk.summaries import summarize
from dptopk.ui import budgets, findings, runs, shell, show, snippets, tables

view = shell.view(mechanisms=False)
k = view.k
show.heading(
    "How much noise does this budget need?",
    f"CDP-Peel releases {findings.plural(k, 'item')} in {findings.plural(k, 'round')} with "
    f"ε = {view.epsilon:g} and δ = {view.delta:g}. How the rounds are added up decides how much "
    "noise each needs, for the same guarantee.",
)
calibration = budgets.choose_calibration()
rows = budgets.calibrate(view.epsilon, view.delta, k, budgets.is_swap(view))
show.tiles(budgets.tiles(rows, calibration))
show.table(
    budgets.frame(rows),
    "calibrations",
    column_config={
        "ε₀ = 1 / scale": st.column_config.NumberColumn(format="%.5f"),
        "noise scale (users)": st.column_config.NumberColumn(format="%.2f"),
        "noise against paper": st.column_config.NumberColumn(format="%.3f"),
        "ε spent at δ": st.column_config.NumberColumn(format="%.4f"),
        "δ spent at ε": st.column_config.NumberColumn(format="%.2e"),
    },
)
st.caption(
    "Asked: ε and δ of the sidebar. Spent: what the run costs at most, by the tightest proven "
    "accounting; what is left over is noise that the guarantee did not need."
)

st.subheader("What the whole run spends", anchor=False)
chosen = next(row for row in rows if row.method == calibration)
spread = chosen.local_epsilon * (2 if budgets.is_swap(view) else 1)
epsilons, curves = budgets.curves(spread, k, 2 * view.epsilon)
show.chart(
    figures.privacy_profile(epsilons, curves, view.epsilon, view.delta),
    "budget-curve",
    "Delta against epsilon of the whole run, as each method proves it.",
)
st.caption(f"All curves are of one run, with noise of scale {chosen.noise:,.2f} users.")

st.subheader(f"What it is worth on {view.source.title}", anchor=False)
metric = show.metric_choice(st)
paper, optimal = budgets.both(view)
result = runs.trials(view.counts, (paper, optimal), view.n, view.seed, "budget")
if result.n_done:
    summary = summarize(result.frame, metric.key)
    show.median_tiles(summary, {}, metric)
    show.table(
        tables.error_summary(summary, {}, runs.exact_shares(view.counts, (paper, optimal))),
        "budget-errors",
        data=summary,
    )
    st.caption(
        f"{tables.describe_metric(metric)} Simulated, {view.n:,} runs of each with the same seed."
    )
st.markdown(budgets.RANGES)
halved = " / 2" if budgets.is_swap(view) else ""
show.code(
    snippets.small(
        view.source.python,
        (paper, optimal),
        f"""
for method in ("basic", "paper", "cks", "renyi", "optimal"):
    epsilon0 = local_epsilon({view.epsilon!r}, {view.delta!r}, {k}, method)
    spent = spent_epsilon(epsilon0, {k}, {view.delta!r}, "optimal")
    print(method, epsilon0{halved}, spent, spent_delta(epsilon0, {k}, {view.epsilon!r}, "optimal"))
trials = run_trials(counts, mechanisms, n={view.n}, seed={view.seed})
print(summarize(trials, "{metric.key}").T.to_string())
""",
    )
)
