"""Event loops for tests, and requests to ASGI apps."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.responses import PlainTextResponse

BEHIND = PlainTextResponse("as it is")  # an app for what is passed on


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine gives, run in a thread of its own.

    Playwright keeps a loop running in the main thread once a browser test was here.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def answers(app: Any, *requests: dict[str, Any]) -> list[tuple[dict[str, str], bytes]]:
    """Headers and bodies of the answers of an app to GET requests that come at once."""

    async def one(request):
        said = []

        async def send(message):
            said.append(message)

        usual = {"type": "http", "method": "GET", "query_string": b"", "client": ("192.0.2.7", 5)}
        await app(usual | request, None, send)
        headers = {key.decode(): value.decode() for key, value in said[0]["headers"]}
        return headers, b"".join(each.get("body", b"") for each in said[1:])

    async def all_of_them():
        return await asyncio.gather(*(one(request) for request in requests))

    return run(all_of_them())
