"""The one comment, against a forge on this computer that answers as the real one does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capwright.forge.comment import Outcome, Run, is_name, publish, run_of
from capwright.forge.http import Forge, Refused
from tests.support.forge import PERSON, TOKEN, Mood, PlayedForge, played, said

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def forge() -> Iterator[PlayedForge]:
    with played() as running:
        yield running


def run(number: int = 5, attempt: int = 1, time: int = 1_000, name: str = "plans") -> Run:
    return Run(name, number, attempt, time, SHA)


def client(
    forge: PlayedForge, seconds: float = 5.0, waited: list[float] | None = None, token: str = TOKEN
) -> Forge:
    return Forge(forge.api, token, seconds, sleep=(waited if waited is not None else []).append)


def post(
    forge: PlayedForge, text: str = "words", of: Run | None = None, *, only_update: bool = False, **options
) -> Outcome:
    mine = client(forge, **options)
    return publish(mine, forge.repository, forge.number, text, of or run(), only_update=only_update)


def test_a_marker_survives_and_ends_the_comment():
    assert run_of(f"words\n\n{run().marker()}\n") == run()
    assert run_of(f"{run().marker()}\nwords") is None


def test_made_once_then_updated(forge):
    assert post(forge, "one") == "created"
    assert post(forge, "two", run(6)) == "updated"
    assert post(forge, "two", run(6)) == "unchanged"
    assert [body.partition("\n")[0] for body in forge.bodies()] == ["two"]


def test_where_there_is_nothing_to_tell_a_comment_is_brought_up_to_date_and_none_is_made(forge):
    forge.add("talk", PERSON)
    assert post(forge, "nothing", only_update=True) == "none"
    assert forge.bodies() == ["talk"]
    post(forge, "one", run(5))
    assert post(forge, "nothing", run(4), only_update=True) == "newer"
    assert post(forge, "nothing", run(6), only_update=True) == "updated"
    assert forge.bodies()[1].startswith("nothing")


def test_a_marker_holds_the_largest_run_that_a_forge_counts_to():
    largest = Run("plans", 10**18 - 1, 10**18 - 1, 10**18 - 1, SHA)
    assert run_of(largest.marker()) == largest


def test_an_older_run_never_overwrites_a_newer_one(forge):
    post(forge, "new", run(9, 2))
    assert post(forge, "old", run(9, 1)) == "newer"
    assert post(forge, "older", run(8, 7)) == "newer"
    assert forge.bodies()[0].startswith("new")


def test_without_a_run_number_the_commits_time_decides(forge):
    post(forge, "new", run(0, 0, time=2_000))
    assert post(forge, "old", run(0, 0, time=1_999)) == "newer"
    assert post(forge, "newest", run(0, 0, time=2_001)) == "updated"


def test_found_on_the_last_of_many_pages(forge):
    for number in range(95):
        forge.add(f"talk {number}", PERSON)
    post(forge, "one")
    for number in range(95):
        forge.add(f"more {number}", PERSON)
    assert post(forge, "two", run(6)) == "updated"
    assert len(forge.comments) == 191


def test_two_jobs_have_two_comments(forge):
    post(forge, "one")
    assert post(forge, "two", run(name="fleet")) == "created"
    assert len(forge.comments) == 2


def test_a_strangers_copy_of_the_mark_is_no_comment_of_ours(forge):
    forge.add(f"hands off\n\n{run(999).marker()}", PERSON)
    assert post(forge, "ours") == "created"
    assert forge.bodies()[0].startswith("hands off")


def test_with_a_persons_token_the_persons_comment_is_ours(forge):
    forge.me = PERSON
    forge.add(f"a bot's\n\n{run(1).marker()}")
    assert post(forge, "one") == "created"
    assert post(forge, "two", run(6)) == "updated"


def test_two_first_comments_become_one(forge):
    forge.add(f"a\n\n{run(1).marker()}")
    forge.add(f"b\n\n{run(2).marker()}")
    assert post(forge, "c", run(3)) == "updated"
    assert [body[0] for body in forge.bodies()] == ["c"]


@pytest.mark.parametrize("status", [404, 410, 403, 500])
def test_a_second_comment_that_cannot_be_deleted_is_no_failure(forge, status):
    """Another run may have deleted it meanwhile; what stays is deleted by a later run."""
    forge.add(f"a\n\n{run(1).marker()}")
    forge.add(f"b\n\n{run(2).marker()}")
    forge.moods = [Mood(status, said("Not Found"), method="DELETE", after=status == 404)]
    assert post(forge, "c", run(3)) == "updated"
    assert forge.bodies()[0].startswith("c")
    assert post(forge, "c", run(3)) == "unchanged"
    assert len(forge.comments) == 1


def test_a_comment_that_was_deleted_meanwhile_is_made_anew(forge):
    made = forge.add(f"a\n\n{run(1).marker()}")
    forge.moods = [Mood(404, said("Not Found"), method="PATCH")]
    forge.before["PATCH"] = lambda: forge.comments.pop(made["id"])
    assert post(forge, "b", run(2)) == "created"
    assert [body[0] for body in forge.bodies()] == ["b"]


@pytest.mark.parametrize("name", ["plans", "fleet-2.eu_west", "x" * 60, "-a", "1"])
def test_a_name_that_a_mark_holds(name):
    assert is_name(name)
    assert run_of(f"words\n\n{run(name=name).marker()}\n") == run(name=name)


@pytest.mark.parametrize(
    "name",
    ["", "my plans", "a\n", "--> <b>x", "a--b", "a-", "-", "--", "x" * 61, "pläne", "a>", "a/b", "\x1b"],
)
def test_a_name_that_a_mark_does_not_hold(name):
    assert not is_name(name)


@pytest.mark.parametrize(
    "mood, code, words",
    [
        (Mood(403, said("Resource not accessible by integration"), times=99), "CW0792", "not accessible"),
        (Mood(401, said("Bad credentials"), times=99), "CW0792", "Bad credentials"),
        (Mood(404, said("Not Found"), times=99), "CW0794", "Not Found"),
        (Mood(500, b"<html>oops</html>", times=99), "CW0791", "500"),
        (Mood(502, said("Server Error"), times=99), "CW0791", "Server Error"),
        (Mood(200, {"message": "no list"}, times=99), "CW0795", "list"),
        (Mood(200, b"<html>", times=99), "CW0795", "JSON"),
        (Mood(302, None, {"Location": "http://127.0.0.2:1/steal"}, times=99), "CW0795", "302"),
        (Mood(429, said("slow down"), {"Retry-After": "3600"}, times=99), "CW0793", "rate limit"),
    ],
)
def test_a_refusal_has_a_code_and_no_token(forge, mood, code, words):
    forge.moods = [mood]
    with pytest.raises(Refused) as caught:
        post(forge)
    assert caught.value.code == code
    assert words in caught.value.message
    assert TOKEN not in f"{caught.value.message}{caught.value.help}{caught.value!r}"
    assert forge.comments == {}


def test_a_422_tells_what_was_wrong(forge):
    with pytest.raises(Refused, match="Body is too long"):
        post(forge, "x" * 70_000)


def test_a_server_that_echoes_the_token_does_not_make_us_print_it(forge):
    forge.moods = [Mood(403, said(f"token {TOKEN} is bad"))]
    with pytest.raises(Refused) as caught:
        post(forge)
    assert TOKEN not in caught.value.message


NOT_HTTP = (
    b"",
    b"\x00\x01\x02",
    b"what?\r\n\r\n",
    b"HTTP/1.1 abc OK\r\n\r\n",
    b"HTTP/1.1 -200 OK\r\n\r\n",
    b"HTTP/9.9 99999 \xff\r\n\r\n",
    b"HTTP/1.1 200 " + b"x" * 70_000,
    b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000,
    b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n[]",
    b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]",
    b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n[]",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]",
    b"HTTP/1.1 500 no\r\nContent-Length: 9\r\n\r\n{}",
    b"HTTP/1.1 500 no\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]",
)


@pytest.mark.parametrize("raw", NOT_HTTP, ids=range(len(NOT_HTTP)))
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_is_no_answer_of_http_is_a_failure_in_passing(forge, raw, method):
    forge.moods = [Mood(0, None, times=99, raw=raw, method=method)]
    with pytest.raises(Refused) as caught:
        post(forge)
    assert (caught.value.code, caught.value.passing) == ("CW0791", True)
    assert len(caught.value.message) < 400
    assert forge.comments == {}
    forge.moods[0].times = 1
    assert post(forge) == "created"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_whatever_a_server_sends_is_refused_or_read(forge, head, rest):
    forge.moods = [Mood(0, None, times=99, raw=b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + rest)]
    with pytest.raises(Refused):
        post(forge)


def test_server_errors_pass(forge):
    waited: list[float] = []
    forge.moods = [Mood(503, said("busy"), times=2)]
    assert post(forge, waited=waited) == "created"
    assert waited == [1.0, 2.0]


def test_the_rate_limit_is_waited_for_when_it_is_short(forge):
    waited: list[float] = []
    forge.moods = [Mood(403, said("You have exceeded a secondary rate limit"), {"Retry-After": "2"})]
    assert post(forge, waited=waited) == "created"
    assert waited == [2.0]


def test_a_long_rate_limit_is_not_waited_for(forge):
    waited: list[float] = []
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}
    forge.moods = [Mood(403, said("API rate limit exceeded"), headers, times=9)]
    with pytest.raises(Refused) as caught:
        post(forge, waited=waited)
    assert (caught.value.code, waited) == ("CW0793", [])


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_lost_answer_does_not_make_a_second_comment(forge, method):
    if method == "PATCH":
        post(forge, "one", run(1))
    forge.moods = [Mood(502, said("Bad Gateway"), method=method, after=True)]
    assert post(forge, "two") == "unchanged"
    assert [body.partition("\n")[0] for body in forge.bodies()] == ["two"]


def test_a_slow_answer_ends(forge):
    forge.moods = [Mood(200, [], times=99, seconds=1.0)]
    with pytest.raises(Refused, match="did not answer within"):
        post(forge, seconds=0.2)


def test_an_answer_that_drips_ends(forge):
    forge.moods = [Mood(200, said("x" * 400), times=99, drip=True)]
    with pytest.raises(Refused, match="did not answer within"):
        post(forge, seconds=0.3)


def test_nobody_there():
    with played() as gone:
        pass
    with pytest.raises(Refused, match="cannot be reached"):
        post(gone)


def test_a_next_link_that_leads_elsewhere_gets_no_token(forge):
    with played() as thief:
        link = f'<{thief.api}/repos/acme/plans/issues/7/comments?page=2>; rel="next"'
        forge.moods = [Mood(200, [], {"Link": link}, times=99)]
        with pytest.raises(Refused, match="another server"):
            post(forge)
        assert thief.seen == []


@pytest.mark.parametrize("api", ["http://forge.example", "ftp://x", "nowhere", "file:///etc/passwd"])
def test_the_token_does_not_travel_in_the_clear(api):
    with pytest.raises(Refused) as caught:
        Forge(api, TOKEN)
    assert caught.value.code == "CW0790"


def test_a_client_does_not_show_its_token(forge):
    assert TOKEN not in repr(client(forge))
