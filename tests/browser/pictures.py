"""Take pictures of pages, 1,280 and 390 pixels wide, light and dark, to look at what changed.

    python tests/browser/pictures.py FOLDER /errors "/learn?lesson=4" [--whole]

Each is of the first screen, with ``--whole`` of all of the page.
"""

import argparse
import itertools
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from conftest import Server, Visitor, launched, watched

_SCREENS = {1280: 800, 390: 844}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("addresses", nargs="+", metavar="address")
    parser.add_argument("--whole", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with launched() as browser, TemporaryDirectory() as said:
        server = Server(Path(said))
        visitor = Visitor(watched(browser).new_page(), server.url)
        for address, width, scheme in itertools.product(
            asked.addresses, _SCREENS, ("light", "dark")
        ):
            size = {"width": width, "height": _SCREENS[width]}
            visitor.page.set_viewport_size(size)
            visitor.page.emulate_media(color_scheme=scheme)
            visitor.open(address)
            if asked.whole:
                inside = "document.querySelector('[data-testid=stMain]').scrollHeight"
                visitor.page.set_viewport_size(size | {"height": visitor.page.evaluate(inside)})
                visitor.settle()
            name = re.sub(r"\W+", "-", address).strip("-") or "release"
            visitor.page.screenshot(path=asked.folder / f"{name}-{width}-{scheme}.png")
        server.stop()


if __name__ == "__main__":
    main()
