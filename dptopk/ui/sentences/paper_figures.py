"""Link to the figures of papers that draw a measure."""

from dptopk.questions.paper_figures import FIGURES


def curves(measure: str) -> str:
    """Return a sentence on the papers' figures of a measure against k, with links; else empty."""
    found = [
        f"{figure.source.link} ([drawn again at its settings](papers?figure={key}))"
        for key, figure in FIGURES.items()
        if any(panel.settings.get("metric") == measure for panel in figure.panels)
    ]
    return f"In the papers: {'; '.join(found)}." if found else ""
