"""Test the files of deploy/: the content of the image, and the health check."""

import importlib.util
import re
import socket
import subprocess
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.fixture
def healthcheck(monkeypatch, tmp_path):
    spec = importlib.util.spec_from_file_location("healthcheck", DEPLOY / "healthcheck.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "SECONDS", 0.2)
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(tmp_path))
    return module


@pytest.fixture
def process(tmp_path):
    """Stands for the server: a process by a name of its own."""
    name = tmp_path / f"server-{uuid.uuid4().hex}"
    name.write_text("import time; time.sleep(60)")
    with subprocess.Popen([sys.executable, str(name)]) as process:
        yield name.name, process
        process.kill()


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *given):
        """Say nothing."""


def test_a_frozen_server_is_killed_at_the_third_failure_in_a_row(healthcheck, process):
    name, server = process
    with socket.create_server(("127.0.0.1", 0)) as frozen:  # takes connections, answers none
        port = str(frozen.getsockname()[1])
        with HTTPServer(("127.0.0.1", 0), Healthy) as healthy:
            threading.Thread(target=healthy.serve_forever, daemon=True).start()
            for _ in range(2):  # an answer in between begins anew
                assert [healthcheck.main(port, name) for _ in range(2)] == [1, 1]
                assert server.poll() is None
                alive = healthcheck.alive
                healthcheck.alive = lambda port: True
                assert healthcheck.main(port, name) == 0
                healthcheck.alive = alive
            assert healthcheck.main(str(healthy.server_port), name) == 0
            healthy.shutdown()
        assert [healthcheck.main(port, name) for _ in range(3)] == [1, 1, 1]
    assert server.wait(10) == -9


def test_the_image_holds_the_check_and_the_licences_of_the_data():
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = {line.split()[1] for line in lines if line.startswith("COPY ")}
    assert copied >= {"LICENSE", "LICENSES", "sample_data", "deploy/healthcheck.py"}
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    app = compose["services"]["app"]
    assert app["healthcheck"]["test"] == ["CMD", "python", "healthcheck.py"]
    assert app["init"]
    assert app["restart"] == "unless-stopped"


def test_the_proxy_gets_what_its_file_reads_and_offers_what_is_published():
    caddy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    proxy = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]["proxy"]
    assert set(re.findall(r"\{\$(\w+)", caddy)) <= set(proxy["environment"])
    assert "protocols h1 h2\n" in caddy  # HTTP/3 is UDP
    assert not any("udp" in port for port in proxy["ports"])


def test_base_images_are_pinned_by_digest_and_renewed_by_the_lines_of_the_readme():
    told = (DEPLOY / "README.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"(\w+_IMAGE)=([\w.:-]+)", told))
    assert set(named) == {"PYTHON_IMAGE", "CADDY_IMAGE"}
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    container = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    for name, image in named.items():
        (pinned,) = re.findall(rf"\$\{{{name}:-([^}}]+)\}}", compose)
        assert re.fullmatch(rf"{re.escape(image)}@sha256:[0-9a-f]{{64}}", pinned)
        if name == "PYTHON_IMAGE":
            assert f"ARG {name}={pinned}\nFROM ${{{name}}}" in container
