"""Take the README's pictures from the app: a hundred releases at ε = 0.1, and a still.

    python docs/moving_picture.py

Writes `.readme/release.webp` and `.readme/release.png`.  Needs a Chromium, at $CHROMIUM or
on the path.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / ".readme"
SIZE = (1280, 720)
FRAME = 1_250  # milliseconds
RELEASES = (1, 2, 3, 4, 5, 10, 20, 40, 60, 80, 100)  # drawn in each frame


def served() -> tuple[subprocess.Popen, str]:
    """Start the app on a free port; return its process and address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health").close()
            break
        except urllib.error.URLError:
            time.sleep(0.2)
    return process, address


def frames(page: Page, address: str) -> list[Image.Image]:
    """Return the pictures of a visit: the first releases one by one, then more at once."""
    page.goto(address)
    slider = page.get_by_role("slider", name="Release", exact=True)
    taken = []
    for n_releases in RELEASES:
        slider.fill(str(n_releases))
        taken.append(picture(page))
    return taken


def picture(page: Page) -> Image.Image:
    """Return the page as it is once nothing runs any more."""
    page.mouse.move(*(side // 2 for side in SIZE))
    page.wait_for_timeout(500)  # the run has begun
    page.locator('[data-test-script-state="notRunning"]').wait_for(state="attached")
    page.wait_for_timeout(1_000)  # transitions have ended
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def main() -> None:
    """Take and write the pictures."""
    chromium = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    )
    server, address = served()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            width, height = SIZE
            page = browser.new_page(viewport={"width": width, "height": height})
            taken = frames(page, address)
            browser.close()
    finally:
        server.terminate()
        server.wait()
    first, *others = taken
    taken[-1].save(PICTURES / "release.png", optimize=True)
    durations = [FRAME] * (len(taken) - 1) + [3 * FRAME]
    first.save(
        PICTURES / "release.webp",
        save_all=True,
        append_images=others,
        duration=durations,
        loop=0,
        quality=70,
        method=6,
    )


if __name__ == "__main__":
    main()
