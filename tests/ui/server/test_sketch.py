"""Test preliminary figures, which are drawn during long work and then removed."""

from streamlit.testing.v1 import AppTest

from dptopk import CDPPeel, ItemCounts, Joint, PNFPeel
from dptopk.ui.server import work

COUNTS = ItemCounts([50, 40, 40, 12, 3, 0])
MECHANISMS = (Joint(2, 0.1), PNFPeel(3, 0.1), CDPPeel(2, 0.1, 1e-6))


def sketching_page(counts, mechanisms, shown):
    import plotly.graph_objects as go

    from dptopk.questions.errors import trial_tasks
    from dptopk.ui import results

    def sketch(done):
        shown.append(len(done))
        return go.Figure(layout={"title": str(len(done))})

    results.IN_TURNS.each(trial_tasks(counts, mechanisms, 5, 0), "here", sketch)


def test_what_is_done_so_far_is_drawn_as_it_comes_and_goes_away(monkeypatch):
    monkeypatch.setattr(work, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(work, "_SHARE", 1e9)
    shown = []
    app = AppTest.from_function(sketching_page, args=(COUNTS, MECHANISMS, shown)).run()
    assert [element.message for element in app.exception] == []
    assert shown == [1, 2, 3]
    assert app.get("plotly_chart") == []
