"""Starting the application: bound to this machine, under an address that works once."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from synthrelease.errors import ArgumentError, MachineError
from synthrelease.extras import require
from synthrelease.studio.project import Project

LOOPBACK = "127.0.0.1"
_LIBRARIES = ("starlette", "uvicorn", "tomlkit", "matplotlib")
_MOST_WAITING = 32  # to be accepted: so many are, before the first of them is looked at
_MOST_CONNECTIONS = 64  # far more than a browser opens, and than which a process may open more files
_LAST_S = 2  # for answers that are still being given: a connection that stays open would keep it from ending


def serve(folder: str | Path, *, port: int = 0, ready: Callable[[str], None]) -> None:
    """Answer a browser on this machine until interrupted.

    Args:
        folder: of the project.
        port: to listen on; 0 for any that is free.
        ready: called with the first address once the server listens.

    Raises:
        ArgumentError: there is no such folder.
        MachineError: the port is taken, or the extra is not installed.
    """
    require(*_LIBRARIES)
    import uvicorn  # noqa: PLC0415  an extra

    from synthrelease.studio.application import application  # noqa: PLC0415  needs the extra
    from synthrelease.studio.guard import COOKIE, ENTRANCE, Guard, Secrets  # noqa: PLC0415

    project = Project(_folder(Path(folder)))
    with _listening(port) as listener:
        number = listener.getsockname()[1]
        secrets = Secrets()
        hosts = frozenset(f"{name}:{number}" for name in (LOOPBACK, "localhost"))
        config = uvicorn.Config(
            Guard(application(project, secrets), hosts, secrets, f"{COOKIE}-{number}"),
            http=_connection_kind(),
            ws="none",
            backlog=_MOST_WAITING,
            lifespan="off",
            log_level="warning",
            access_log=False,  # addresses have tokens
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_LAST_S,
        )
        ready(f"http://{LOOPBACK}:{number}{ENTRANCE}?token={secrets.entrance}")
        # While the browser starts. Two threads of pages that import parts of it at the same time can see a half of it.
        import_module("matplotlib")
        uvicorn.Server(config).run(sockets=[listener])


def _connection_kind() -> type[asyncio.Protocol]:
    """Connections of which the oldest is closed where there are too many, as files of a process come to an end: of those that never had the cookie, whatever they wait for; then of those that ask nothing."""
    from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: PLC0415  an extra

    from synthrelease.studio.guard import CONNECTION  # noqa: PLC0415  needs the extra

    opened: list[_Connection] = []  # in their order

    class _Connection(H11Protocol):
        is_let_in = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.app_state = {CONNECTION: self}
            opened[:] = [one for one in opened if not one.transport.is_closing()]
            if len(opened) >= _MOST_CONNECTIONS:
                min(opened, key=_Connection.worth).transport.abort()
            opened.append(self)

        def worth(self) -> int:
            is_asking = self.cycle is not None and not self.cycle.response_complete
            return 1 + is_asking if self.is_let_in else 0

    return _Connection


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise ArgumentError(
            "no-such-folder",
            "there is no such folder",
            where=str(path),
            expected="the folder with your data",
            remedy="correct the path",
        )
    return path.resolve()


def _listening(port: int) -> socket.socket:
    try:
        # On Windows another program could take over a port that may be used again: this function does not allow it there.
        return socket.create_server((LOOPBACK, port), backlog=_MOST_WAITING)
    except OSError:
        raise MachineError(
            "port-taken",
            "this port cannot be listened on",
            where=f"{LOOPBACK}:{port}",
            remedy="choose another one with --port, or leave it out",
        ) from None
