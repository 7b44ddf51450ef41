"""Asking a forge over HTTP: JSON there and back, bounded in time, size, pages and tries.

The token goes to the API's own origin and nowhere else: no redirect is followed elsewhere, no link of an answer
leads elsewhere, and no message holds it.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from typing import Any, Final, Literal
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

Method = Literal["GET", "POST", "PATCH", "DELETE"]

MAX_BYTES: Final = 32 << 20
MAX_PAGES: Final = 50
_CHUNK: Final = 1 << 16
_TOLD: Final = 300
_NEXT: Final = re.compile(r'<([^<>]*)>\s*;[^,]*\brel="?next"?')
_BROKEN: Final = (OSError, ValueError, http.client.HTTPException)
"""How an answer ends that is none: no connection, no text, or no HTTP."""
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class Refused(Exception):
    """What a forge did not do: a code, what it said, the way out. `passing` says that a later try may succeed."""

    def __init__(
        self, code: str, message: str, help: str, *, passing: bool = False, wait: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help
        self.passing = passing
        self.wait = wait


class Forge(Struct, frozen=True):
    """A forge's API at `api` (`https://api.github.com`), asked with `token`, `seconds` for each answer."""

    api: str
    token: str
    seconds: float = 15.0
    tries: int = 3
    pause: float = 1.0
    longest_wait: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        parts = urlsplit(self.api)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise Refused("CW0790", "the forge's API has no web address", "set GITHUB_API_URL to one")
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise Refused(
                "CW0790",
                "the forge's API is not encrypted, and the token would travel in the clear",
                "use https",
            )

    def __repr__(self) -> str:
        return f"Forge({self.api!r})"

    def ask(self, method: Method, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON that the forge answers; raises `Refused`. Only questions are asked again, not orders."""
        answer, _ = self._patiently(method, self._address(path), body)
        return answer

    def pages(self, path: str) -> Iterator[Any]:
        """The items of a list, page after page."""
        address: str | None = self._address(path)
        for _ in range(MAX_PAGES):
            if address is None:
                return
            answer, headers = self._patiently("GET", address, None)
            if not isinstance(answer, list):
                raise Refused(
                    "CW0795", "the forge's answer is not the list that was asked for", "try again later"
                )
            yield from answer
            found = _NEXT.search(headers.get("link", ""))
            address = self._same_origin(urljoin(address, found[1])) if found else None
        raise Refused("CW0795", f"the list has more than {MAX_PAGES} pages", "delete old comments")

    def _address(self, path: str) -> str:
        return self.api.rstrip("/") + path

    def _same_origin(self, address: str) -> str:
        if urlsplit(address)[:2] != urlsplit(self.api)[:2]:
            raise Refused("CW0795", "the forge's answer leads to another server", "check GITHUB_API_URL")
        return address

    def _patiently(
        self, method: Method, address: str, body: Mapping[str, Any] | None
    ) -> tuple[Any, Mapping[str, str]]:
        for left in range(self.tries - 1, -1, -1):
            try:
                return self._once(method, address, body)
            except Refused as refusal:
                wait = self.pause * 2 ** (self.tries - 1 - left) if refusal.wait is None else refusal.wait
                if not refusal.passing or not left or method != "GET" or wait > self.longest_wait:
                    raise
                self.sleep(wait)
        raise AssertionError

    def _once(
        self, method: Method, address: str, body: Mapping[str, Any] | None
    ) -> tuple[Any, Mapping[str, str]]:
        request = urllib.request.Request(  # noqa: S310 (the scheme was looked at)
            address,
            None if body is None else json.dumps(body).encode(),
            {
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json; charset=utf-8",
                "User-Agent": "capwright",
                "X-GitHub-Api-Version": "2022-11-28",
            },
            method=method,
        )
        deadline = time.monotonic() + self.seconds
        try:
            with _OPENER.open(request, timeout=self.seconds) as response:
                data = self._read(response, deadline)
                headers = {name.lower(): value for name, value in response.headers.items()}
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error, deadline) from None
        except _BROKEN as error:
            raise self._unreachable(error) from None
        return self._json(data), headers

    def _read(self, response: Any, deadline: float) -> bytes:
        """The body, within the deadline and the size, however slowly it drips."""
        found = bytearray()
        while chunk := response.read1(_CHUNK):
            found += chunk
            if len(found) > MAX_BYTES:
                raise Refused("CW0795", "the forge's answer is too large", "try again later")
            if time.monotonic() > deadline:
                raise TimeoutError
        if getattr(response, "length", None):
            raise http.client.IncompleteRead(bytes(found), response.length)
        return bytes(found)

    @staticmethod
    def _json(data: bytes) -> Any:
        if not data:
            return None
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise Refused("CW0795", "the forge's answer is not JSON", "check GITHUB_API_URL") from None

    def _unreachable(self, error: Exception) -> Refused:
        reason = getattr(error, "reason", error)
        slow = isinstance(reason, TimeoutError) or isinstance(error, TimeoutError)
        if slow:
            said = f"it did not answer within {self.seconds:g} s"
        elif isinstance(error, http.client.HTTPException):
            said = (
                "its answer is cut off"
                if isinstance(error, http.client.IncompleteRead)
                else "its answer is not HTTP"
            )
        else:
            said = self._safe(str(reason))
        return Refused("CW0791", f"the forge cannot be reached: {said}", "run the job again", passing=True)

    def _refusal(self, error: urllib.error.HTTPError, deadline: float) -> Refused:
        status, said = error.code, self._said(error, deadline)
        wait = _wait(error.headers, said)
        if status == 429 or (status == 403 and wait is not None):
            return Refused(
                "CW0793",
                f"the forge's rate limit is reached ({status}: {said})",
                "run the job again later",
                passing=True,
                wait=wait,
            )
        if status >= 500:
            return Refused(
                "CW0791", f"the forge failed ({status}: {said})", "run the job again", passing=True, wait=wait
            )
        code, help = _WAYS_OUT.get(status, ("CW0795", "see the forge's documentation of this answer"))
        return Refused(code, f"the forge refused ({status}: {said})", help)

    def _said(self, error: urllib.error.HTTPError, deadline: float) -> str:
        try:
            answer = json.loads(self._read(error, deadline))
            details = [one.get("message") or one.get("code") for one in answer.get("errors", ())]
            said = "; ".join(str(part) for part in [answer["message"], *details] if part)
        except (*_BROKEN, KeyError, AttributeError, TypeError, RecursionError, Refused):
            said = str(error.reason or "no reason given")
        return self._safe(said)

    def _safe(self, said: str) -> str:
        """What a server said, on one line, without the token."""
        hidden = said.replace(self.token, "***") if self.token else said
        return " ".join(hidden.split())[:_TOLD]


_WAYS_OUT: Final = {
    401: ("CW0792", "the token is not valid: pass the job's own, `${{ github.token }}`"),
    403: (
        "CW0792",
        "give the job `permissions: pull-requests: write`; a pull request from a fork has a token that only reads",
    ),
    404: ("CW0794", "check the repository and the pull request, and that the token may see them"),
    410: ("CW0794", "comments are switched off there"),
    422: ("CW0795", "the forge takes no such comment; please report it with the plans"),
}


def _wait(headers: Message, said: str) -> float | None:
    """The seconds to wait that an answer names; None where it names no limit."""
    after = headers.get("Retry-After", "")
    if after.isdigit():
        return float(after)
    reset = headers.get("X-RateLimit-Reset", "")
    if headers.get("X-RateLimit-Remaining") == "0" and reset.isdigit():
        return max(0.0, int(reset) - time.time())
    return 60.0 if "secondary rate limit" in said else None


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the handler of old carries the token along."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        return None


_OPENER: Final = urllib.request.build_opener(_Stay)
