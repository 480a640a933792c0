"""Who may ask, and what browsers may do with an answer.

The address of the first page has a token that works once. It is exchanged for a cookie, which browsers send to no other site. Requests
that name another host (DNS rebinding), come from another page, or change something without the token of a page are refused.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "synthrelease-studio"
ENTRANCE = "/enter"
PAGE_TOKEN = "page_token"  # noqa: S105  the name of a field
PAGE_TOKEN_HEADER = "x-page-token"  # noqa: S105  likewise
CONNECTION = (
    "connection"  # of the server's state for a request: what is to know of a browser that it was let in
)

_SECRET_BYTES = 32
_SAFE_METHODS = ("GET", "HEAD")
_OWN_FETCHES = ("", "none", "same-origin")  # what browsers say of requests that no other page made
# A port is no border for cookies: a page on another port of this machine is refused by its origin, but its server may be sent them, and
# read a page with its token. docs/howto/studio.md says so.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def _secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


@dataclass
class Secrets:
    """What a browser has to know."""

    entrance: str | None = field(default_factory=_secret)  # of the first address; None once it was used
    session: str = field(default_factory=_secret)  # of the cookie
    page: str = field(default_factory=_secret)  # of every page that can change something

    def enter(self, given: str) -> bool:
        """Return whether this is the token of the first address, which it stops being."""
        if self.entrance is None or not _same(given, self.entrance):
            return False
        self.entrance = None
        return True


@dataclass(frozen=True)
class Guard:
    """An application that answers one browser, on this machine."""

    app: ASGIApp
    hosts: frozenset[str]  # names of this server with its port, as requests have them
    secrets: Secrets
    cookie: str = COOKIE  # its name: browsers keep one of a name for all ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, let a browser in, or pass the request on."""
        if scope["type"] != "http":
            return  # nothing else is spoken here
        refusal, connection = self._refusal(scope), scope.get("state", {}).get(CONNECTION)
        if refusal is None and connection is not None:
            connection.is_let_in = True

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return _refused(421, "This server answers under its own address only.")
        own_origin = f"{scope['scheme']}://{hosts[0]}"
        if origins not in ([], [own_origin]) or headers.get("sec-fetch-site", "") not in _OWN_FETCHES:
            return _refused(403, "Another page asked for this. Write the address into the address bar.")
        if scope["path"] == ENTRANCE:
            return self._entered(scope)
        if not _same(self._cookie(headers), self.secrets.session):
            return _refused(403, "Open the address that `synthrelease studio` printed when it started.")
        is_safe = scope["method"] in _SAFE_METHODS
        if not (is_safe or _same(headers.get(PAGE_TOKEN_HEADER, ""), self.secrets.page)):
            return _refused(403, "This page is of an earlier start. Load it again.")
        return None

    def _entered(self, scope: Scope) -> Response:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if scope["method"] != "GET" or not self.secrets.enter(given[0]):
            return _refused(
                403,
                "This address works once, and was used or is wrong. Start `synthrelease studio` again for a new one.",
            )
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(self.cookie, self.secrets.session, httponly=True, samesite="strict")
        return response

    def _cookie(self, headers: Headers) -> str:
        return cookie_parser("; ".join(headers.getlist("cookie"))).get(self.cookie, "")


def _refused(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence + "\n", status)


def _same(given: str, secret: str) -> bool:
    """Compare in a time that does not depend on where they differ."""
    return hmac.compare_digest(given.encode("utf-8"), secret.encode("utf-8"))
