"""The server: on this machine only, silent about its secrets, and ended by Ctrl-C whatever is open."""

from __future__ import annotations

import contextlib
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from refusals import refused
from studio_project import project
from studio_running import pipelining

from synthrelease.errors import MachineError
from synthrelease.studio.guard import COOKIE
from synthrelease.studio.server import LOOPBACK, _listening

pytestmark = pytest.mark.thorough  # each starts a process
ELSEWHERE = ("127.0.0.2", "::1")  # other addresses of this machine


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """A process, its port and its token."""
    project(tmp_path)
    command = [sys.executable, "-m", "synthrelease", "studio", str(tmp_path), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = re.search(r"http://127\.0\.0\.1:(\d+)/enter\?token=(\S+)", process.stdout.readline())
    assert address is not None
    yield process, int(address[1]), address[2]
    process.kill()
    process.communicate()


def ask(port: int, request: str) -> str:
    with socket.create_connection((LOOPBACK, port), timeout=20) as connection:
        connection.sendall(request.encode())
        return b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()


def test_it_answers_on_this_machine_under_one_address(studio: tuple[subprocess.Popen[str], int, str]) -> None:
    process, port, token = studio
    for other in ELSEWHERE:
        with pytest.raises(OSError, match=r"."):  # refused, or no way there
            socket.create_connection((other, port), timeout=5)
    head = f"Host: {LOOPBACK}:{port}\r\nConnection: close\r\n\r\n"
    first = ask(port, f"GET /enter?token={token} HTTP/1.1\r\n{head}")
    cookie = re.search(rf"set-cookie: ({COOKIE}-{port}=\S+);", first)
    assert cookie is not None
    assert "server:" not in first.lower()
    assert ask(port, f"GET /data HTTP/1.1\r\nCookie: {cookie[1]}\r\n{head}").startswith("HTTP/1.1 200")
    assert ask(port, f"GET /data HTTP/1.1\r\n{head}").startswith("HTTP/1.1 403")
    upgrade = (
        "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    )
    assert " 101 " not in ask(port, f"GET /data HTTP/1.1\r\nCookie: {cookie[1]}\r\n{upgrade}{head}")
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=20)
    assert token not in printed + errors  # after the first line
    assert cookie[1].partition("=")[2] not in printed + errors


def test_it_ends_though_a_connection_stays_open(studio: tuple[subprocess.Popen[str], int, str]) -> None:
    process, port, token = studio
    head = f"Host: {LOOPBACK}:{port}\r\n"
    first = ask(port, f"GET /enter?token={token} HTTP/1.1\r\nConnection: close\r\n{head}\r\n")
    cookie = first.partition("set-cookie: ")[2].partition(";")[0]
    page = ask(port, f"GET /data HTTP/1.1\r\nConnection: close\r\nCookie: {cookie}\r\n{head}\r\n")
    page_token = re.search(r'x-page-token": "([^"]+)"', page.replace("&#34;", '"'))
    assert page_token is not None
    half = f"POST /budget HTTP/1.1\r\n{head}Cookie: {cookie}\r\nx-page-token: {page_token[1]}\r\nContent-Length: 50\r\n\r\na"
    with socket.create_connection((LOOPBACK, port)) as gone:
        gone.sendall(half.encode())
    with socket.create_connection((LOOPBACK, port)) as connection:
        connection.sendall(half.encode())
        assert ask(port, f"GET /data HTTP/1.1\r\nConnection: close\r\n{head}\r\n").startswith("HTTP/1.1 403")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert "ClientDisconnect" not in errors


@pytest.mark.parametrize("sent", ["", "GET /data HTTP/1.1\r\nHost: "])
def test_connections_that_ask_nothing_keep_no_one_out(
    studio: tuple[subprocess.Popen[str], int, str], sent: str
) -> None:
    """Of any program of this machine: a process can open only so many files."""
    process, port, _ = studio
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (200, 200))
    with contextlib.ExitStack() as stack:
        for _ in range(300):
            connection = stack.enter_context(socket.create_connection((LOOPBACK, port), timeout=20))
            with contextlib.suppress(ConnectionError):  # closed again
                connection.sendall(sent.encode())
        head = f"Host: {LOOPBACK}:{port}\r\nConnection: close\r\n\r\n"
        assert ask(port, f"GET /data HTTP/1.1\r\n{head}").startswith("HTTP/1.1 403")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors


def test_connections_that_read_nothing_keep_no_one_out(
    studio: tuple[subprocess.Popen[str], int, str],
) -> None:
    """Each has answers that wait to be sent. That of the browser stays open, though it is the oldest."""
    process, port, token = studio
    head = f"Host: {LOOPBACK}:{port}\r\nConnection: close\r\n\r\n"
    first = ask(port, f"GET /enter?token={token} HTTP/1.1\r\n{head}")
    cookie = first.partition("set-cookie: ")[2].partition(";")[0]
    with contextlib.ExitStack() as stack:
        browser = stack.enter_context(contextlib.closing(HTTPConnection(LOOPBACK, port, timeout=20)))

        def asked() -> socket.socket | None:
            browser.request("GET", "/static/studio.css", headers={"Cookie": cookie})
            assert browser.getresponse().read()
            return browser.sock

        same = asked()
        for _ in range(70):
            stack.enter_context(pipelining(port))
        for _ in range(3):
            time.sleep(
                1
            )  # until no more answers can be sent; a browser's connection that asks nothing is kept 5 s
            assert asked() is same
            assert ask(port, f"GET /data HTTP/1.1\r\n{head}").startswith("HTTP/1.1 403")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors


def test_matplotlib_is_loaded_before_pages_are_drawn_by_several_threads(tmp_path: Path) -> None:
    """Two threads that import parts of it first can see a half of it, and the page says that the studio has a fault."""
    serving = "uvicorn.Server.run = lambda *_, **_named: print('matplotlib.ticker' in sys.modules)"
    script = f"import sys, uvicorn\n{serving}\nfrom synthrelease.studio.server import serve\nserve(sys.argv[1], ready=len)"
    assert subprocess.check_output([sys.executable, "-c", script, str(tmp_path)], text=True) == "True\n"


def test_a_port_that_is_taken_is_refused() -> None:
    with _listening(0) as listener:
        host, port = listener.getsockname()
        assert host == LOOPBACK
        with refused(MachineError, "port-taken"):
            _listening(port)
