"""Link to the settings that redraw figures of the paper."""

from urllib.parse import urlencode

from dptopk.core.errors import METRICS, Metric
from dptopk.core.papers import GILLENWATER_2022
from dptopk.data.datasets import dataset_info, dataset_names
from dptopk.mechanisms.selections import IN_THE_PAPER, WITH_BASELINES
from dptopk.questions.view import View

_RUNS = "50"  # of each mechanism at each point, as in the paper
_ALL_MEASURES = "Figure 6"
_MOVIES = "movies_small"  # stands in for the paper's Movies


def curves(view: View, measure: str) -> str:
    """Return a sentence on the paper's figure of a measure against k, with a link; else empty."""
    figure = METRICS[measure].figure
    if not figure:
        return ""
    paper = f"[{figure} of {GILLENWATER_2022.short}]({GILLENWATER_2022.url})"
    if figure == _ALL_MEASURES:
        link = _link(measure, WITH_BASELINES, _MOVIES)
        return (
            f"{paper} plots this on Movies for Joint, both peeling mechanisms, Laplace and Gamma: "
            f"[its settings]({link}), on a smaller MovieLens release than the paper's."
        )
    of_paper = [name for name in dataset_names() if dataset_info(name).paper == "yes"]
    data = next((name for name in of_paper if dataset_info(name).title == view.source.title), "")
    link = _link(measure, IN_THE_PAPER, data)
    return (
        f"{paper} plots this for three mechanisms: [its settings]({link}). Of its six data sets, "
        "Books, Games and News are available here."
    )


def redrawn() -> list[str]:
    """Return a line for each figure of the paper that can be drawn again, with links."""
    bundled = [(name, dataset_info(name)) for name in dataset_names()]
    ours = [(name, info.title) for name, info in bundled if info.paper == "yes"]
    instead = [(name, info.title) for name, info in bundled if info.paper.startswith("no:")]
    lines = []
    for metric in METRICS.values():
        if not metric.figure:
            continue
        if metric.figure == _ALL_MEASURES:
            link = _link(metric.key, WITH_BASELINES, _MOVIES)
            on = f"[{dataset_info(_MOVIES).title}]({link}), a stand-in for the paper's Movies"
        else:
            on, other = (
                ", ".join(f"[{t}]({_link(metric.key, IN_THE_PAPER, name)})" for name, t in some)
                for some in (ours, instead)
            )
            on += f"; stand-ins: {other}"
        lines.append(f"{metric.figure}, {metric.title} against k: {on}.")
    gaps = ", ".join(f"[{title}](gaps?{urlencode({'data': name})})" for name, title in ours)
    return [*lines, f"Gaps between consecutive counts, as the authors' code draws them: {gaps}."]


def panels(metric: Metric) -> dict[str, dict[str, str]]:
    """Return the settings of the page that draws a measure's figure again, by the data's title."""
    if metric.figure == _ALL_MEASURES:
        title = f"{dataset_info(_MOVIES).title}, a stand-in for the paper's Movies"
        return {title: _query(metric.key, WITH_BASELINES, _MOVIES)}
    ours = [name for name in dataset_names() if dataset_info(name).paper == "yes"]
    return {dataset_info(name).title: _query(metric.key, IN_THE_PAPER, name) for name in ours}


def _link(measure: str, mechanisms: tuple[str, ...], data: str) -> str:
    """Return a link to the page with a figure's settings, without the app's defaults."""
    return f"sweep?{urlencode(_query(measure, mechanisms, data), safe=',')}"


def _query(measure: str, mechanisms: tuple[str, ...], data: str) -> dict[str, str]:
    """Return the settings of a figure, without the app's defaults."""
    query = {"data": data} if data else {}
    query |= {"mechanisms": ",".join(mechanisms), "against": "paper", "metric": measure}
    return query | {"runs_a_point": _RUNS}
