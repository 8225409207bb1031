"""Write every element of pages, a line each, to compare a page before and after a change by `diff`.

    python tests/pages/elements_of_pages.py OUT.txt [PAGE ...]

Each page is opened plainly, presented (each of the first slides), with the answer hidden, on typed
data, and with other values of each setting that it reads.  Of an element its place is written (the
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

from conftest import Visit
from controls import texts_of
from google.protobuf.json_format import MessageToDict

from dptopk.ui import results
from dptopk.ui.layout.pages import JOIN, PAGES
from dptopk.ui.sections.learn import LESSONS

_QUICK = {"runs": "20", "runs_a_point": "3", "k": "4", "epsilon": "0.1"}
_TYPED = {"data": "typed", "typed": "a 30\nb[x](y) 20\nc 20\nd 12\ne 9\nf 1", "k": "3"}
_MANY = "Joint,PNFJoint,PNFPeel,CDPPeel,InverseSensitivitySet,OneShotCounts,LimitedDomain,Laplace"
_MODES = (
    *({}, {"mechanisms": _MANY}, {"answer": "hidden"}, _TYPED, {"code": "BCDFGH"}),
    *({"present": str(place)} for place in (1, 2, 3)),
)
_OF_ONE_VISIT = re.compile(
    r'"(?:url|deferredFileId|fragmentId|uuid|pageScriptHash)": "[^"]*"'
    r"|\$\$ID-[0-9a-f]+-|(?<=#T_)[0-9a-f]+"
)
_LONG = re.compile(r'"((?:[^"\\]|\\.){60})(?:[^"\\]|\\.){240,}"')  # of which a hash is enough


def _written(proto: Any) -> str:
    """Return what is sent, without what differs between visits."""
    text = json.dumps(MessageToDict(proto), ensure_ascii=False, sort_keys=True)
    return _LONG.sub(
        lambda long: f'"{long[1]} … {hashlib.sha256(long[0].encode()).hexdigest()[:12]}"',
        _OF_ONE_VISIT.sub("", text),
    )


def _elements(block: Any, within: str = "") -> Iterator[str]:
    """Yield a line for each of the elements below a block: place, kind and contents."""
    for child in block.children.values():
        proto = getattr(child, "proto", None)
        if getattr(child, "key", None) == "nav_places":
            continue
        if not hasattr(child, "children"):
            yield f"{within} {child.type} {_written(proto) if proto else ''}"
            continue
        key = child.type if child.type not in ("vertical", "horizontal", "flex_container") else ""
        key = key or _OF_ONE_VISIT.sub("", getattr(proto, "id", ""))
        yield from _elements(child, f"{within}/{key}" if key else within)


def links_of(page: str) -> Iterator[dict[str, str]]:
    """Yield the modes of a page, then links with another value of one setting that it reads."""
    yield from _MODES
    if page == "learn":
        yield from ({"lesson": key, "revealed": key, "step": n} for key in LESSONS for n in "013")
    for key, parameter in Visit(page, _QUICK).settings.items():
        usual = {parameter.text(parameter.default), _QUICK.get(key)}
        yield from ({key: text} for text in texts_of(parameter) if text not in usual)


def main() -> None:
    """Write the elements of the pages that are named, by default of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("pages", nargs="*", default=[page.key for page in (*PAGES, JOIN)])
    asked = parser.parse_args()
    results._seconds_a_draw = lambda counts, mechanism: 0.001  # measured: differs by itself
    with asked.out.open("w", encoding="utf-8") as out:
        for page in asked.pages:
            for link in links_of(page):
                visit = Visit(page, _QUICK | link)
                assert visit.exceptions() == [], f"{page} {link}"
                lines = [*_elements(visit.app.main)]
                print(page, link, len(lines), flush=True)
                out.writelines(f"{line}\n" for line in (f"{page} {link}", *lines))


if __name__ == "__main__":
    main()
