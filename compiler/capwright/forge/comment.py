"""One comment for a pull request: made once, brought up to date later, never put back to an older state."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Literal
from urllib.parse import quote

from msgspec import Struct

from capwright.forge.http import Forge, Refused

Outcome = Literal["created", "updated", "unchanged", "newer", "none"]

TRIES: Final = 3
_NAME: Final = r"(?:(?!--)[A-Za-z0-9_.-]){1,60}(?<!-)"
_MARKER: Final = re.compile(
    rf"<!-- capwright:ci ({_NAME}) run=(\d{{1,18}})\.(\d{{1,18}}) time=(\d{{1,18}}) commit=([0-9a-f]{{0,64}}) -->\s*\Z"
)


class Run(Struct, frozen=True):
    """Which state of a pull request a comment tells of: the job's run and attempt, the commit and its time.

    `name` keeps apart the comments of jobs that look at different things; `number` grows from run to run of a
    repository. 0 stands for what is not known.
    """

    name: str
    number: int
    attempt: int
    time: int
    commit: str

    def marker(self) -> str:
        """The line that ends the comment, which shows nothing."""
        return f"<!-- capwright:ci {self.name} run={self.number}.{self.attempt} time={self.time} commit={self.commit} -->"

    def is_older_than(self, other: Run) -> bool:
        """By the run where both have one, else by the time of the commit."""
        if self.number and other.number:
            return (self.number, self.attempt) < (other.number, other.attempt)
        return self.time < other.time


def is_name(text: str) -> bool:
    """Whether a comment's mark can hold a name: letters of ASCII, digits, `_`, `.` and single `-`, at most 60."""
    return re.fullmatch(_NAME, text) is not None


def run_of(body: str) -> Run | None:
    """The run that a comment tells of; None for what is no comment of ours."""
    found = _MARKER.search(body)
    if found is None:
        return None
    return Run(found[1], int(found[2]), int(found[3]), int(found[4]), found[5])


def publish(
    forge: Forge, repository: str, number: int, text: str, run: Run, *, only_update: bool = False
) -> Outcome:
    """Make or update the comment on pull request `number` of `repository` (`owner/name`); raises `Refused`.

    With `only_update` a pull request without a comment is left without one ("none").
    A try that failed in passing, or met a comment that is gone since it was listed, starts from the list again: the
    forge may have done what it did not confirm. A second comment of ours that stays, for a later run to delete, is
    no failure.
    """
    body = f"{text.rstrip()}\n\n{run.marker()}\n"
    for left in range(TRIES - 1, -1, -1):
        try:
            return _publish(forge, repository, number, body, run, only_update=only_update)
        except Refused as refusal:
            wait = forge.pause if refusal.wait is None else refusal.wait
            if not (refusal.passing and left) or wait > forge.longest_wait:
                raise
            forge.sleep(wait)
    raise AssertionError


def _publish(
    forge: Forge, repository: str, number: int, body: str, run: Run, *, only_update: bool
) -> Outcome:
    where = f"/repos/{quote(repository, safe='/')}/issues"
    ours = list(_ours(forge, f"{where}/{number}/comments?per_page=100", run.name))
    if any(run.is_older_than(told) for _, told in ours):
        return "newer"
    if not ours and only_update:
        return "none"
    if not ours:
        forge.ask("POST", f"{where}/{number}/comments", {"body": body})
        return "created"
    (first, _), *others = ours
    same = first["body"].replace("\r\n", "\n").rstrip() == body.rstrip()
    if not same:
        _update(forge, f"{where}/comments/{int(first['id'])}", body)
    # Two first runs at once made two; the first one stays. Another run may be deleting the others now, too.
    for other, _ in others:
        with suppress(Refused):
            forge.ask("DELETE", f"{where}/comments/{int(other['id'])}")
    return "unchanged" if same else "updated"


def _update(forge: Forge, path: str, body: str) -> None:
    try:
        forge.ask("PATCH", path, {"body": body})
    except Refused as refusal:
        # It was listed a moment ago: somebody deleted it, and the next look at the list will say so.
        refusal.passing = refusal.passing or refusal.code == "CW0794"
        raise


def _ours(forge: Forge, path: str, name: str) -> Iterable[tuple[dict[str, Any], Run]]:
    """Our comments, oldest first: with our mark, and written by whom the token stands for."""
    found = []
    for one in forge.pages(path):
        if (
            not isinstance(one, dict)
            or not isinstance(one.get("body"), str)
            or not isinstance(one.get("id"), int)
        ):
            continue
        run = run_of(one["body"])
        if run is not None and run.name == name:
            found.append((one, run))
    if not found:
        return []
    me = _login(forge)
    return sorted(((one, run) for one, run in found if _is_by(one, me)), key=lambda pair: int(pair[0]["id"]))


def _login(forge: Forge) -> str | None:
    """Who the token stands for; None for a job's own token, which may not ask."""
    try:
        answer = forge.ask("GET", "/user")
    except Refused as refusal:
        if refusal.code in {"CW0792", "CW0794"}:
            return None
        raise
    login = answer.get("login") if isinstance(answer, dict) else None
    return login if isinstance(login, str) else None


def _is_by(comment: dict[str, Any], me: str | None) -> bool:
    """Anybody may copy our mark into a comment; only our own is taken for ours."""
    user = comment.get("user")
    if not isinstance(user, dict):
        return False
    return user.get("type") == "Bot" if me is None else user.get("login") == me
