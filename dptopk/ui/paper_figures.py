"""Which views give figures of the paper, and the links that open them with its settings."""

from urllib.parse import urlencode

from dptopk.datasets import dataset_info, dataset_names
from dptopk.mechanisms.compared import IN_THE_PAPER
from dptopk.papers import GILLENWATER_2022
from dptopk.view import View

_RUNS = "50"  # of each mechanism at each point, as in the paper
_BY_MEASURE = {"linf": "Figure 1", "signed_index": "Figure 2"}
_MAP = "Figure 6"


def curves(view: View, measure: str) -> str:
    """Say which figure draws a measure against k; nothing if none does."""
    if measure not in _BY_MEASURE:
        return ""
    own = {"against": "paper", "metric": measure, "runs_a_point": _RUNS}
    return _said(view, _BY_MEASURE[measure], "the page k and ε", "sweep", own)


def winners(view: View) -> str:
    """Say which figure is a map of who is best."""
    return _said(view, _MAP, "this map", "compare", {"view": "paper", "runs": _RUNS})


def _said(view: View, figure: str, shown: str, page: str, own: dict[str, str]) -> str:
    """A sentence with the link; what the paper sets as the app does by itself is not in it."""
    of_paper = [name for name in dataset_names() if dataset_info(name).paper == "yes"]
    data = next((name for name in of_paper if dataset_info(name).title == view.source.title), None)
    query = {"data": data} if data else {}
    query |= {"mechanisms": ",".join(IN_THE_PAPER)} | own
    link = f"{page}?{urlencode(query, safe=',')}"
    paper = f"[{figure} of {GILLENWATER_2022.short}]({GILLENWATER_2022.url})"
    return f"{paper} comes out of {shown} [with the paper's settings]({link})."
