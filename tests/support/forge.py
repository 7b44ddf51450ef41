"""A forge's API on this computer: issue comments as GitHub gives and takes them, and all its moods."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "ghs_" + "s3cret" * 6
LIST = re.compile(r"/repos/([\w.-]+/[\w.-]+)/issues/(\d+)/comments")
ONE = re.compile(r"/repos/([\w.-]+/[\w.-]+)/issues/comments/(\d+)")
BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot", "site_admin": False}
PERSON = {"login": "octocat", "id": 1, "type": "User", "site_admin": False}


@dataclass
class Mood:
    """What a request gets instead of its answer, `times` times: a status, headers and body, after `seconds`."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    seconds: float = 0.0
    method: str = ""
    drip: bool = False
    after: bool = False
    """Whether the request is carried out all the same, and only the answer is lost."""
    raw: bytes | None = None
    """What is sent instead of an answer in HTTP, after which the connection is closed."""


class PlayedForge(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments: dict[int, dict[str, Any]] = {}
        self.number = 7
        self.repository = "acme/plans"
        self.me: dict[str, Any] | None = None
        self.page = 30
        self.moods: list[Mood] = []
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        self.next_id = 1_000
        self.before: dict[str, Callable[[], object]] = {}
        """What somebody else does before a request of a method is looked at."""

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def add(self, body: str, user: dict[str, Any] = BOT) -> dict[str, Any]:
        self.next_id += 1
        where = f"{self.api}/repos/{self.repository}/issues"
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        made = {
            "url": f"{where}/comments/{self.next_id}",
            "html_url": f"https://forge.test/{self.repository}/pull/{self.number}#issuecomment-{self.next_id}",
            "issue_url": f"{where}/{self.number}",
            "id": self.next_id,
            "node_id": f"IC_{self.next_id}",
            "user": user,
            "created_at": now,
            "updated_at": now,
            "author_association": "NONE",
            "body": body,
            "reactions": {"url": f"{where}/comments/{self.next_id}/reactions", "total_count": 0},
            "performed_via_github_app": None,
        }
        self.comments[self.next_id] = made
        return made

    def bodies(self) -> list[str]:
        return [one["body"] for one in self.comments.values()]


class Handler(BaseHTTPRequestHandler):
    server: PlayedForge
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def handle_any(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        data = json.loads(self.rfile.read(length)) if length else None
        self.server.seen.append((self.command, self.path, dict(self.headers)))
        self.server.before.pop(self.command, lambda: None)()
        mood = next((m for m in self.server.moods if m.times > 0 and m.method in {"", self.command}), None)
        if mood is not None:
            mood.times -= 1
            if mood.after:
                self.answer(data)
            time.sleep(mood.seconds)
            if mood.raw is not None:
                self.wfile.write(mood.raw)
                self.close_connection = True
                return
            self.give(mood.status, mood.body, mood.headers, drip=mood.drip)
            return
        self.give(*self.answer(data))

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815 (the names that http.server calls)

    def answer(self, data: Any) -> tuple[int, Any, dict[str, str]]:
        forge = self.server
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, said("Bad credentials"), {}
        path, _, query = self.path.partition("?")
        if path == "/user":
            return (
                (200, forge.me, {}) if forge.me else (403, said("Resource not accessible by integration"), {})
            )
        found = LIST.fullmatch(path)
        if found and found[1] == forge.repository and int(found[2]) == forge.number:
            return self.listed(query) if self.command == "GET" else self.created(data)
        found = ONE.fullmatch(path)
        if found and int(found[2]) in forge.comments:
            return self.changed(int(found[2]), data)
        return 404, said("Not Found"), {}

    def listed(self, query: str) -> tuple[int, Any, dict[str, str]]:
        page = int((re.search(r"\bpage=(\d+)", query) or [0, "1"])[1])
        every = list(self.server.comments.values())
        size = self.server.page
        last = max(1, -(-len(every) // size))
        url = f"{self.server.api}{self.path.partition('?')[0]}?per_page=100"
        links = (
            [f'<{url}&page={page + 1}>; rel="next"', f'<{url}&page={last}>; rel="last"']
            if page < last
            else []
        )
        links += [f'<{url}&page=1>; rel="first"'] if page > 1 else []
        return 200, every[(page - 1) * size : page * size], {"Link": ", ".join(links)} if links else {}

    def created(self, data: Any) -> tuple[int, Any, dict[str, str]]:
        if len(data["body"]) > 65_536:
            errors = [
                {
                    "resource": "IssueComment",
                    "code": "unprocessable",
                    "field": "data",
                    "message": "Body is too long",
                }
            ]
            return 422, {**said("Validation Failed"), "errors": errors}, {}
        return 201, self.server.add(data["body"], self.server.me or BOT), {}

    def changed(self, number: int, data: Any) -> tuple[int, Any, dict[str, str]]:
        if self.server.comments[number]["user"] != (self.server.me or BOT):
            return 403, said("Resource not accessible by integration"), {}
        if self.command == "DELETE":
            del self.server.comments[number]
            return 204, None, {}
        self.server.comments[number]["body"] = data["body"]
        return 200, self.server.comments[number], {}

    def give(self, status: int, body: Any, headers: dict[str, str], *, drip: bool = False) -> None:
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            for at in range(0, len(data), 1 if drip else max(len(data), 1)):
                self.wfile.write(data[at : at + 1] if drip else data)
                if drip:
                    time.sleep(0.1)
        except OSError:
            self.close_connection = True


def said(message: str) -> dict[str, str]:
    return {"message": message, "documentation_url": "https://docs.forge.test/rest", "status": "0"}


@contextmanager
def played() -> Iterator[PlayedForge]:
    forge = PlayedForge()
    thread = threading.Thread(target=forge.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield forge
    finally:
        forge.shutdown()
        forge.server_close()
        thread.join()


Played = Callable[[], PlayedForge]
