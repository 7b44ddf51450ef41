"""A browser for the tests of this folder; without one they are skipped, except in CI, which installs it."""

import os

import pytest

from capwright.render.html import html
from tests.support.browser import CHROMIUM, Browser
from tests.support.sample import sample


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None and not os.environ.get("CI"):
                item.add_marker(pytest.mark.skip(reason="no Chromium here"))


@pytest.fixture(scope="session")
def running():
    with Browser() as found:
        yield found


@pytest.fixture
def browser(running):
    yield running
    running.leave()
    running.media()
    running.size(1000)
    running.call("Emulation.setScriptExecutionDisabled", value=False)


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html(sample()), encoding="utf-8")
    return path
