"""Write every element of pages as JSON, to compare a page before and after a change by `diff`.

    python tests/pages/elements_of_pages.py OUT.json [PAGE ...]

Each page is opened with its usual links, and each link in four modes: plain, presented (each of the
first slides), with the answer hidden, and on typed data.  Of an element its place is written (the
keys of the containers around it), its kind, and what is sent to the browser: figures, tables
and other long parts as their hash, addresses of files not at all.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest

from dptopk.ui import keys, results
from dptopk.ui.layout.pages import JOIN, PAGES
from dptopk.ui.sections.learn import LESSONS

_APP = Path(__file__).resolve().parents[2] / "app.py"
_QUICK = {"runs": "20", "runs_a_point": "3", "k": "4", "epsilon": "0.1"}
_TYPED = {"data": "typed", "typed": "a 30\nb[x](y) 20\nc 20\nd 12\ne 9\nf 1", "k": "3"}
_ALL = "Joint,PNFJoint,PNFPeel,CDPPeel,InverseSensitivitySet,OneShotCounts,LimitedDomain,Laplace"
_MODES = (
    {"plain": {}}
    | {f"slide {place}": {"present": str(place)} for place in (1, 2, 3)}
    | {"hidden": {"answer": "hidden"}, "typed": _TYPED}
)
_MANY = {"mechanisms": _ALL, "delta": "1e-6"}
_LINKS: dict[str, list[dict[str, str]]] = {
    "release": [_MANY, {"picture": "noise"}, {"picture": "outcomes"}, {"since": "0", "seed": "3"}],
    "errors": [
        {"shape": "cumulative", "bound": "true"} | _MANY,
        {"shape": "histogram", "metric": "linf_index"},
        {"beyond": "5", "metric": "k_relative"},
    ],
    "compare": [_MANY],
    "winners": [{"d": "60", "data": "synthetic-zipf"}],
    "sweep": [_MANY, {"against": "epsilon", "metric": "linf_index"}],
    "gaps": [_MANY, {"data": "typed", "typed": "5"}, {"data": "typed", "typed": "7 7 7"}],
    "exact": [_MANY, {"small": "top", "draws": "1000"}, {"vector": "7 7 7", "draws": "1000"}],
    "data": [{"data": "synthetic-zipf", "d": "2000"}],
    "choose": [
        {"goal": "error", "total_epsilon": "0.5", "releases": "12"},
        {"goal": "items_right", "mechanisms": "Joint,CDPPeel,Laplace", "delta": "1e-6"},
        {"goal": "error_share", "stand_in": "books", "against_delta": "true"},
        {"other_k": "true", "mechanisms": "Joint"},
    ],
    "budget": [{"delta": "0"}, {"calibration": "optimal", "metric": "linf_index"}],
    "users": [{"part": "unlisted"}, {"part": "series"}],
    "handover": [{"named": "true", "tuned_public": "true"}, _MANY | {"shown": "CDPPeel"}],
    "ledger": [{"outcomes": "55", "calls": "7"}],
    "reader": [{"mechanism": "CDPPeel"}, {"mechanism": "Laplace"}],
    "privacy": [
        {"run": "too_small"},
        {"small": "top", "who": "chosen", "mechanisms": "Joint,CDPPeel", "delta": "1e-6"},
        {"small": "top", "who": "chosen", "neighbors": "swap"},
    ],
    "mechanisms": [
        *({"mechanism": key} for key in ("CDPPeel", "PNFPeel", "OneShotCounts", "LimitedDomain"))
    ],
    "learn": [
        *({"lesson": lesson, "revealed": lesson} for lesson in LESSONS),
        *({"lesson": lesson, "step": step} for lesson in "134569" for step in "123456"),
        *({"lesson": "9", "revealed": "9", "step": step} for step in "1234"),
        {"lesson": "3", "guess_3": "60", "revealed": "3", "neighbors": "swap"},
        {"lesson": "2", "guess_2": "AB", "revealed": "2"},
    ],
    "classroom": [{"asked": "likeliest"}],
    "join": [{"code": "BCDFGH"}],
}
_LONG = 300  # characters of which a hash is enough
_OF_ONE_VISIT = {"url", "deferredFileId", "fragmentId", "uuid", "pageScriptHash"}


def _part(value: Any) -> Any:
    """Return what is sent, without what differs between visits."""
    if isinstance(value, dict):
        return {k: _part(v) for k, v in value.items() if k not in _OF_ONE_VISIT}
    if isinstance(value, list):
        return [_part(one) for one in value]
    if isinstance(value, str):
        value = re.sub(r"\$\$ID-[0-9a-f]+-|(?<=#T_)[0-9a-f]+", "", value)
        if len(value) > _LONG:
            return f"{value[:60]} … {hashlib.sha256(value.encode()).hexdigest()[:12]}"
    return value


def _elements(block: Any, within: tuple[str, ...] = ()) -> Iterator[list[Any]]:
    """Yield place, kind and contents of the elements below a block."""
    for child in block.children.values():
        proto = getattr(child, "proto", None)
        if getattr(child, "key", None) == "nav_places":
            continue
        if not hasattr(child, "children"):
            yield ["/".join(within), child.type, _part(MessageToDict(proto)) if proto else None]
            continue
        key = child.type if child.type not in ("vertical", "horizontal", "flex_container") else ""
        key = key or (_part(getattr(proto, "id", "")) if proto is not None else "")
        yield from _elements(child, (*within, key) if key else within)


def visited(page: str, query: dict[str, str]) -> list[list[Any]]:
    """Return all elements of a page that is opened by a link."""
    app = AppTest.from_file(str(_APP), default_timeout=300)
    for name, value in query.items():
        app.query_params[name] = value
    app.session_state[keys.TAKE_AWAY] = True  # opened
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, (page, query, [one.message for one in app.exception])
    return [*_elements(app.main)]


def main() -> None:
    """Write the elements of the pages that are named, by default of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("pages", nargs="*", default=[page.key for page in (*PAGES, JOIN)])
    asked = parser.parse_args()
    results._seconds_a_draw = lambda counts, mechanism: 0.001  # measured: differs by itself
    found = {}
    for page in asked.pages:
        for query in ({}, *_LINKS.get(page, ())):
            for name, mode in _MODES.items():
                link = _QUICK | query | mode
                title = f"{page} {query} {name}"
                found[title] = visited(page, link)
                print(title, len(found[title]), flush=True)
    lines = [
        f"{json.dumps(title)}: [\n "
        + ",\n ".join(json.dumps(one, ensure_ascii=False, sort_keys=True) for one in elements)
        + "\n]"
        for title, elements in found.items()
    ]
    asked.out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
