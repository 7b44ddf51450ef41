"""What a job says of itself in its environment: the forge, the pull request, the run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

_CAP: Final = 32 << 20
_API: Final = "https://api.github.com"
_REPOSITORY: Final = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}")


class Job(Struct, frozen=True):
    """A job of a forge, or a laptop: then nothing is known but that it is none.

    `pull` is the number of the pull request that it runs for, `base` the commit that this is to go into. `run` grows
    from run to run of a repository, whichever workflow: the number of a run, by workflow, begins anew with each.
    """

    annotates: bool = False
    api: str = _API
    repository: str = ""
    token: str = ""
    pull: int | None = None
    base: str | None = None
    head: str = ""
    run: int = 0
    attempt: int = 0
    summary: str = ""

    def __repr__(self) -> str:
        return f"Job({self.repository!r}, pull={self.pull})"


def job_of(environment: Mapping[str, str]) -> Job:
    """The job that an environment describes, in the spelling that GitHub, Gitea and Forgejo share."""
    event = _event(environment.get("GITHUB_EVENT_PATH", ""))
    pull = event.get("pull_request")
    pull = pull if isinstance(pull, dict) else {}
    repository = environment.get("GITHUB_REPOSITORY", "")
    return Job(
        annotates=environment.get("GITHUB_ACTIONS") == "true",
        api=environment.get("GITHUB_API_URL") or _API,
        repository=repository if _REPOSITORY.fullmatch(repository) else "",
        token=(environment.get("CAPWRIGHT_TOKEN") or environment.get("GITHUB_TOKEN") or "").strip(),
        pull=_number(pull.get("number")) or None,
        base=_commit(pull, "base"),
        head=_commit(pull, "head") or _sha(environment.get("GITHUB_SHA", "")),
        run=_number(environment.get("GITHUB_RUN_ID")),
        attempt=_number(environment.get("GITHUB_RUN_ATTEMPT")),
        summary=environment.get("GITHUB_STEP_SUMMARY", ""),
    )


def _event(path: str) -> dict[str, Any]:
    try:
        if not path or os.path.getsize(path) > _CAP:
            return {}
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _commit(pull: Mapping[str, Any], side: str) -> str | None:
    found = pull.get(side)
    return _sha(found.get("sha")) or None if isinstance(found, dict) else None


def _sha(value: object) -> str:
    return value if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{40,64}", value) else ""


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 19 else 0
