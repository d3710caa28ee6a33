"""The stage that serves the pages, the browser that opens them, and a client without a browser."""

import os
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Seconds that an answer may take. Enough for the busiest machine: the limit only ends a run that hangs.
PATIENCE = 600
STAGE = os.path.join(ROOT, ".build", "debug", "aasa-monitor-stage")


class Stage:
    """The pages of a store that was filled by hand."""

    def __init__(self, scene, token=None):
        arguments = [STAGE, scene] + (["--token", token] if token else [])
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().rstrip("/")
        assert self.url, f"the stage did not start: {scene}"

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)


class Run:
    """A browser, and the stages in use."""

    def __init__(self, browser):
        self.browser = browser
        self.stages = {}

    def stage(self, scene, token=None):
        key = (scene, token)
        if key not in self.stages:
            self.stages[key] = Stage(scene, token)
        return self.stages[key]

    @contextmanager
    def page(self, stage, path="/", width=1280, height=900, theme="light", **options):
        """A page that must log nothing, and send no request to another host."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, **options)
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        faults = []
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        # The next navigation aborts a running request, such as the icon's. That is not an error of the page.
        page.on("requestfailed", lambda request: None if request.failure == "net::ERR_ABORTED" else faults.append(
            f"failed: {request.url}: {request.failure}"))
        page.on("request", lambda request: None if request.url.startswith(stage.url) else faults.append(
            f"another host: {request.url}"))
        if path is not None:
            answer = page.goto(stage.url + path)
            assert answer.status == 200, f"{path}: {answer.status}"
        yield page
        context.close()
        assert not faults, faults

    def close(self):
        for stage in self.stages.values():
            stage.close()


def fetch(url, method="GET", data=None, headers=None):
    """Without the browser: status, headers, body; redirects are not followed."""

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    request = urllib.request.Request(url, data=data, method=method, headers=headers or {})
    try:
        with urllib.request.build_opener(Stay).open(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()
