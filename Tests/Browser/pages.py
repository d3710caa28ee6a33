"""Checks the pages that aasa-monitor-stage serves, with Debian's Chromium.

    .build/browser/bin/python Tests/Browser/pages.py [--shots FOLDER] [NAME...]

Each check is a function whose name begins with check_; NAME selects those that contain it. Exits with 1 if one fails.
"""

import json
import os
import sys
import time
import traceback

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from driver import Run, fetch

SIZES = [(1280, 900), (768, 1024), (390, 844)]
THEMES = ["light", "dark"]
STALE = "/domains/links.travel.example"


VIEWS = [
    ("twelve", "/", "overview"), ("fleet", "/", "fleet"), ("twelve", STALE + "?url=/trips/lisbon", "domain"), ("twelve", "/incidents", "incidents"),
    ("twelve", "/silences", "silences"),
    ("twelve", STALE + "/changes", "domain-changes"), ("twelve", STALE + "/edges", "domain-edges"),
    ("twelve", STALE + "/history", "domain-history"), ("twelve", STALE + "/findings", "domain-findings"),
    ("twelve", STALE + "/evidence", "domain-evidence"),
    ("empty", "/", "empty"), ("single", "/", "single"), ("single", "/domains/go.shop.example", "calm-domain"),
    ("300", "/", "overview-many"), ("twelve", "INCIDENT", "incident"), ("hostile", "/domains/hostile.example", "hostile"),
]


# The states of a domain; the overview shows only the one domain, with its picture.
STATES = [
    "healthy", "propagating", "stale", "divergent", "mixed", "missing", "broken", "unreachable", "expiring", "developer-mode",
    "flapping", "global", "dead-daemon",
]


def first_incident(stage):
    _, _, body = fetch(stage.url + "/incidents")
    return "/incidents/" + body.split('id="i-')[1].split('"')[0]


def check_each_view_is_accessible_and_does_not_overflow(run):
    axe = Axe()
    for scene, path, name in VIEWS:
        stage = run.stage(scene)
        if path == "INCIDENT":
            path = first_incident(stage)
        for width, height in SIZES:
            for theme in THEMES:
                with run.page(stage, path, width, height, theme) as page:
                    if run.shots:
                        page.screenshot(path=f"{run.shots}/{name}-{width}-{theme}.png", full_page=True)
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    assert wide <= width, f"{name} at {width}: {wide} px wide"
                    found = axe.run(page).response["violations"]
                    told = [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found]
                    assert not told, f"{name} {width} {theme}: {json.dumps(told)}"
        # A paused page has a longer header.
        with run.page(stage, path + ("&" if "?" in path else "?") + "pause=1", 390, 844) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, f"{name}, paused, overflows 390 px"
        with run.page(stage, path, 320, 700) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, f"{name} overflows 320 px"


def check_each_state_is_accessible_and_does_not_overflow(run):
    axe = Axe()
    for state in STATES:
        stage = run.stage(state)
        for path, name in [("/", "overview"), ("/domains/links.example.com", "domain")]:
            # Without screenshots these are enough: the check above opens every view in all sizes.
            for width, height in SIZES if run.shots else [SIZES[0], SIZES[-1]] if name == "domain" else [SIZES[0]]:
                for theme in THEMES if run.shots else ["light"]:
                    with run.page(stage, path, width, height, theme) as page:
                        if run.shots:
                            page.screenshot(path=f"{run.shots}/{state}-{name}-{width}-{theme}.png", full_page=True)
                        wide = page.evaluate("document.documentElement.scrollWidth")
                        assert wide <= width, f"{state}, {name} at {width}: {wide} px wide"
                        if width == SIZES[0][0]:
                            told = [rule["id"] for rule in axe.run(page).response["violations"]]
                            assert not told, f"{state}, {name} {width} {theme}: {told}"
                        stalled = "No check has ended since" in page.inner_text("#health")
                        assert stalled == (state == "dead-daemon"), f"{state}, {name}"
        run.stages.pop((state, None)).close()


def row_of(page, name):
    return page.locator(f".decisions li:has(a[href='/domains/{name}'])")


def names_in(page, section):
    return page.locator(f"#{section} .who a[href^='/domains/']").all_inner_texts()


def check_overview_is_by_decision(run):
    stage = run.stage("twelve")
    with run.page(stage) as page:
        assert page.inner_text("h1") == "1 domain opens the website instead of the app, 2 use an old file"
        counts = [int(text) for text in page.locator(".shares b").all_inner_texts()]
        assert sum(counts) == 12, counts
        assert page.locator("svg.strip rect").count() == len(counts)
        assert names_in(page, "act") == ["app.bank.example"]
        act = row_of(page, "app.bank.example")
        assert "Links open the website" in act.locator("strong.fail").inner_text()
        assert "AASA-Bot and CFNetwork" in act.locator(".do").inner_text()
        assert "3 h 12 min" in act.locator(".lasts").inner_text()
        assert "hook, ops and 1 more" in act.inner_text()
        assert names_in(page, "handled") == ["links.travel.example", "pay.market.example"]
        assert "eva: “Waiting for Apple" in row_of(page, "links.travel.example").inner_text()
        assert "silenced until" in row_of(page, "pay.market.example").inner_text()
        assert "v8 is on 5 of 8 edges" in row_of(page, "shop.example").inner_text()
        assert len(names_in(page, "list")) == 8 and page.locator("#list svg.month").count() == 8
        # The button asks for a name and acknowledges.
        act.locator("summary").click()
        act.locator("input[name=by]").fill("jun")
        act.locator("form button").click()
        assert page.url == stage.url + "/"
        assert "jun" in row_of(page, "app.bank.example").inner_text() and "app.bank.example" in names_in(page, "handled")
    run.stages.pop(("twelve", None)).close()


def check_legend_filters_and_search_have_addresses(run):
    stage = run.stage("twelve")
    with run.page(stage) as page:
        names = lambda: sorted(page.locator(".decisions a[href^='/domains/']").all_inner_texts())
        page.click(".shares a:has-text('old file')")
        assert page.url.endswith("/?state=old-file")
        assert names() == ["links.travel.example", "shop.example"], names()
        page.click(".shares a[aria-current=true]")
        assert page.url == stage.url + "/"
        page.fill("input[name=q]", "travel")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=travel**")
        assert names() == ["dev.travel.example", "events.travel.example", "links.travel.example"], names()
        page.goto(stage.url + "/?label=team%3Dpayments")
        assert len(names()) == 2
        page.goto(stage.url + "/?q=nothing-like-it")
        assert "No domain matches" in page.inner_text("main")


def check_many_domains_are_few_decisions(run):
    stage = run.stage("300")
    status, _, body = fetch(stage.url + "/")
    assert status == 200 and len(body) < 100 * 1024, len(body)
    with run.page(stage) as page:
        assert page.locator("#list li").count() == 25
        assert page.locator("#act > ul > li").count() >= 2
        page.click(".pager a[rel=next]")
        assert "26–50 of" in page.inner_text(".pager")
        assert page.locator("#act").count() == 0


def check_a_fleet_has_two_screens(run):
    stage = run.stage("fleet")
    for width, height, most in [(1280, 900, 1800), (390, 844, 3700)]:
        with run.page(stage, "/", width, height) as page:
            assert len(set(page.locator(".decisions a[href^='/domains/']").all_inner_texts())) == 32
            high = page.evaluate("document.documentElement.scrollHeight")
            assert high <= most, f"{high} px high at {width}"
    with run.page(stage) as page:
        name = page.locator("a[href='/domains/xn--wgv71a119e.example'] bdi")
        assert name.inner_text() == "日本語.example" and name.get_attribute("title") == "xn--wgv71a119e.example"


# Finds texts that overlap, and words that a narrow column breaks: a page can have both without being too wide. Only visible
# text, in the page's order.
LAYOUT_FAULTS = """() => {
  // The visible part of a box within the boxes that clip it; null if it is hidden.
  const shown = (box, host) => {
    let [left, right] = [box.left, box.right];
    for (let element = host; element; element = element.parentElement) {
      const style = getComputedStyle(element);
      if (style.clipPath !== "none") return null;
      if (style.overflowX === "hidden") {
        const frame = element.getBoundingClientRect();
        [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
      }
    }
    return right - left > 1 ? { left, right, top: box.top, bottom: box.bottom } : null;
  };
  const [faults, seen] = [[], []];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, host = node.parentElement;
    if (!node.data.trim() || !host.checkVisibility()) continue;
    if (host.closest(".unseen, title, pre, option, script, details:not([open]) > :not(summary)")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of [...range.getClientRects()].filter((box) => box.height > 1).map((box) => shown(box, host)).filter(Boolean))
      seen.push({ text: node.data.trim().slice(0, 40), box, node, host });
    if (host.closest(".code, code")) continue;
    const block = host.closest("p, li, div, td, th, h1, h2") || document.body;
    for (const word of node.data.matchAll(/[^\\s\\/\u2010-\u2014-]{2,}/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const parts = [...range.getClientRects()];
      // A word that is longer than a line has to break.
      const isLong = parts.reduce((sum, part) => sum + part.width, 0) > block.clientWidth - 40;
      if (!isLong && new Set(parts.map((part) => Math.round(part.top))).size > 1) faults.push("broken: " + word[0]);
    }
  }
  for (const [at, one] of seen.entries()) for (const other of seen.slice(at + 1)) {
    if (one.node === other.node) continue;
    // An inline text and the text around it share a line.
    if (one.host.contains(other.host) || other.host.contains(one.host)) continue;
    const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
    const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
    if (wide > 2 && high > 4) faults.push("overlap: " + one.text + " / " + other.text);
  }
  return faults;
}"""


def check_no_text_overlaps_and_no_word_breaks(run):
    for scene in ["fleet", "twelve", "300", "global", "first-check", "single"]:
        stage = run.stage(scene)
        for width, height in SIZES:
            with run.page(stage, "/", width, height) as page:
                faults = page.evaluate(LAYOUT_FAULTS)
                assert not faults, f"{scene} at {width}: {faults[:8]}"


def check_domain_page_is_a_verdict_with_its_parts(run):
    stage = run.stage("twelve")
    with run.page(stage, STALE + "?url=/trips/lisbon&window=604800&pause=1") as page:
        assert page.inner_text(".effect") == "Phones use the old file on 6 of Apple's 8 edges"
        assert page.locator(".steps li").count() == 3
        line = page.locator(".time-line li").all_inner_texts()
        assert [text.split("\n")[0] for text in line[:4]] == ["v15 deployed", "Limit of 24 h", "Alert sent", "Now: 31 h 12 min"], line
        assert "longer than 12 of 13 changes" in line[4]
        handling = page.inner_text(".handling")
        assert "cdn.stale" in handling and "acknowledged by eva" in handling and "Notified: hook, ops, pager 07:22" in handling
        for title, part in [("What changes (4)", "changes"), ("Edges and origin", "edges"), ("History", "history"),
                            ("Findings (2)", "findings"), ("Evidence", "evidence"), ("Now", "")]:
            page.click(f".tabs a:text-is('{title}')")
            path = STALE + (f"/{part}" if part else "")
            assert page.url == stage.url + path + "?window=604800&url=/trips/lisbon&pause=1", page.url
            assert page.inner_text(".tabs [aria-current]") == title
            assert page.inner_text(".effect").startswith("Phones use the old file")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.click("#report summary")
        page.wait_for_selector("#report summary:text-is('Copied')")
        assert page.evaluate("navigator.clipboard.readText()").startswith("Apple's CDN serves an old")
    with run.page(stage, STALE, java_script_enabled=False) as page:
        page.click("#report summary")
        assert page.locator("#report pre").is_visible()
        page.click(".tabs a:text-is('History')")
        assert "13 changes" in page.inner_text("#past")
        assert "cdn.stale" in page.inner_text("#incidents") and "delivered (200)" in page.inner_text("#incidents")
    assert fetch(stage.url + STALE + "/nonsense")[0] == 404


def check_texts_of_a_domain_page_neither_overlap_nor_break(run):
    for scene, domain in [("twelve", "links.travel.example")] + [
            (state, "links.example.com") for state in ["missing", "propagating", "expiring", "flapping"]]:
        stage = run.stage(scene)
        for part in ["", "/changes", "/edges", "/history", "/findings", "/evidence"]:
            for width, height in SIZES:
                with run.page(stage, f"/domains/{domain}{part}", width, height) as page:
                    faults = page.evaluate(LAYOUT_FAULTS)
                    assert not faults, f"{scene}{part} at {width}: {faults[:8]}"
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{scene}{part} at {width}"
        if scene != "twelve":
            run.stages.pop((scene, None)).close()


def check_domain_page_shows_propagation(run):
    stage = run.stage("twelve")
    with run.page(stage, STALE) as page:
        assert "Uses an old file at some edges" in page.inner_text(".badge")
        # Everything that matters for a decision fits on a large screen.
        assert page.evaluate("document.querySelector('main').getBoundingClientRect().bottom + scrollY") < 960
        lanes = page.locator(".lane:not(.head):not(.axis):visible")
        assert lanes.count() == 6
        assert "4 edges" in lanes.nth(3).inner_text()
        page.click(".fold summary")
        assert lanes.count() == 10
        assert lanes.nth(0).locator(".place").inner_text().startswith("Origin")
        # Sorted by when they picked it up, then by name.
        assert [lanes.nth(i).locator(".place b").inner_text() for i in range(1, 4)] == ["usqas4", "usnyc3", "4 edges"]
        assert lanes.nth(0).locator("rect.seg.now").count() == 1
        assert lanes.nth(1).locator("rect.seg.now").count() == 1
        assert lanes.nth(3).locator("rect.seg.now").count() == 0
        assert lanes.nth(3).locator("rect.behind.late").count() == 1
        assert "v15 after 9 h" in lanes.nth(1).inner_text()
        assert "31 h 12 min behind" in lanes.nth(3).inner_text()
        assert lanes.nth(4).locator(".place b").inner_text() == "ausyd2"
        assert page.locator(".lane rect.seg.none").count() == 1
        assert page.locator(".lane line.mute").count() == 1
        assert "v15 deployed" in page.locator(".lane.head").text_content()
        # One drawing for all widths: no viewBox in the lanes, positions in percent.
        assert page.locator(".lane svg[viewBox]").count() == 0
        assert page.locator("rect.seg").first.get_attribute("x").endswith("%")
        page.click(".switch a:has-text('30 days')")
        assert "window=2592000" in page.url
        assert page.locator(".lane").count() >= 9
    with run.page(stage, STALE + "/findings") as page:
        assert "cdn.edges-differ" in page.inner_text("#findings")


def check_diff_and_try_a_url(run):
    stage = run.stage("twelve")
    with run.page(stage, STALE + "/changes") as page:
        text = page.inner_text("#changes")
        assert "/trips/*" in text and "added" in text, text
    with run.page(stage, STALE) as page:
        assert page.locator("#users tbody tr").count() == 3
        page.fill("#try input[name=url]", f"https://links.travel.example/trips/lisbon")
        page.click("#try button")
        answers = page.locator("#try tbody tr").all_inner_texts()
        assert any("origin" in a and "Opens 9JA89QQLNQ.example.travel" in a and "/trips/*" in a for a in answers), answers
        assert any("6 edges" in a and "Opens the website" in a for a in answers), answers
        assert "url=https" in page.url
        page.goto(stage.url + STALE + "?url=https://other.example/x")
        assert "does not apply to other hosts" in page.inner_text("#try")


def check_acknowledge_and_silence(run):
    stage = run.stage("twelve")
    with run.page(stage, "/incidents") as page:
        assert "open" in page.inner_text("h1")
        page.click("a:has-text('Acknowledge')")
        page.fill("#acknowledge input[name=by]", "jun <b>")
        page.fill("#acknowledge input[name=reason]", "on it")
        page.click("#acknowledge button")
        assert "acknowledged by jun <b>" in page.inner_text("main")
        page.click("#acknowledge button")
        assert "not acknowledged" in page.inner_text("main")
        page.goto(stage.url + STALE)
        page.click("#silence summary")
        page.fill("#silence input[name=by]", "jun")
        page.fill("#silence input[name=reason]", "deploy")
        page.click("#silence form.write button")
        assert "by jun: deploy" in page.inner_text(".silenced")
        page.click(".silenced button")
        assert page.locator(".silenced").count() == 0
        # Acknowledging also works on the domain's page, which stays open.
        page.click("button:has-text('End acknowledgement')")
        assert page.url == stage.url + STALE, page.url
        page.click("#acknowledge summary")
        page.fill("#acknowledge input[name=by]", "eva")
        page.click("#acknowledge button")
        assert page.url == stage.url + STALE and "acknowledged by eva" in page.inner_text(".handling")


def check_a_check_now_says_that_it_runs_and_shows_its_result(run):
    stage = run.stage("twelve")
    # With the script and without: the page reloads itself every two seconds while the check runs.
    for script, domain in [(True, "events.travel.example"), (False, "help.example")]:
        path = f"/domains/{domain}?window=2592000"
        with run.page(stage, path, java_script_enabled=script) as page:
            checked = page.locator("#checked")
            assert "just now" not in checked.inner_text().split("all addresses")[0], checked.inner_text()
            page.click("#check")
            assert page.url == stage.url + path, page.url
            button = page.locator("#check")
            assert "Checking…" in button.inner_text() and button.is_disabled()
            page.locator("#check:not([disabled])").wait_for()
            assert "Check now" in button.inner_text()
            assert "just now" in checked.inner_text(), checked.inner_text()


def check_forms_of_other_sites_are_refused(run):
    stage = run.stage("twelve")
    incident = first_incident(stage)
    form = b"by=eva&reason=x"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    for headers in [{}, {"Origin": "https://evil.example"}, {"Origin": "null"},
                    {"Origin": stage.url, "Sec-Fetch-Site": "cross-site"}]:
        for path in [incident + "/ack", STALE + "/silence", STALE + "/check", "/silences/1/end"]:
            status, _, _ = fetch(stage.url + path, "POST", form, {**kind, **headers})
            assert status == 403, (headers, path, status)
    status, _, _ = fetch(stage.url + "/", headers={"Host": "evil.example"})
    assert status == 421, status
    status, _, _ = fetch(stage.url + "/healthz", headers={"Host": "evil.example"})
    assert status == 200


def check_login_with_a_token(run):
    stage = run.stage("single", token="s3cret")
    with run.page(stage, None) as page:
        page.goto(stage.url + "/domains/go.shop.example")
        assert "/login?to=" in page.url
        page.fill("input[name=token]", "s3cret")
        page.click("button")
        assert page.url.endswith("/domains/go.shop.example"), page.url
        cookie = page.context.cookies()[0]
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and "s3cret" not in cookie["value"]
        page.click("#silence summary")
        page.fill("#silence input[name=by]", "jun")
        page.fill("#silence input[name=reason]", "deploy")
        page.click("#silence form.write button")
        assert "by jun: deploy" in page.inner_text(".silenced")
        page.goto(stage.url + "/login")
        page.click("button:has-text('Log out')")
        page.goto(stage.url + "/")
        assert "/login" in page.url
    # Logging out elsewhere ends the session of an open page: its next refresh shows the form. The browser logs the 401.
    context = run.browser.new_context()
    page = context.new_page()
    page.goto(stage.url + "/login?to=/incidents")
    page.fill("input[name=token]", "s3cret")
    page.click("button")
    cookie = context.cookies()[0]
    fetch(stage.url + "/login", "POST", b"end=1", {
        "Content-Type": "application/x-www-form-urlencoded", "Origin": stage.url,
        "Cookie": f"{cookie['name']}={cookie['value']}"})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_url("**/login?to=%2Fincidents")
    context.close()
    status, _, _ = fetch(stage.url + "/")
    assert status == 401
    status, headers, _ = fetch(stage.url + "/login", "POST", b"token=wrong&to=//evil.example", {
        "Content-Type": "application/x-www-form-urlencoded", "Origin": stage.url})
    assert status == 401 and "Set-Cookie" not in headers
    status, headers, _ = fetch(stage.url + "/login", "POST", b"token=s3cret&to=//evil.example", {
        "Content-Type": "application/x-www-form-urlencoded", "Origin": stage.url})
    assert status == 303 and headers["Location"] == "/", headers["Location"]


def check_hostile_payloads_are_inert(run):
    stage = run.stage("hostile")
    payload = "/domains/hostile.example?url=%22%3E%3Cscript%3Ewindow.hit%3D1%3C%2Fscript%3E"
    for path in ["/", "/domains/hostile.example", payload, "/incidents", "/?q=%22%3E%3Cscript%3Ewindow.hit%3D1%3C/script%3E",
                 "/?label=%22%3E%3Cimg%20src%3Dx%20onerror%3Dwindow.hit%3D1%3E"]:
        with run.page(stage, path) as page:
            for details in page.locator("details").all():
                details.evaluate("element => element.open = true")
            page.wait_for_timeout(50)
            assert page.evaluate("window.hit") is None, path
            assert page.locator("main script, main img, main iframe, [onerror], [onload], [style]").count() == 0, path
            assert page.locator("a[href^='javascript']").count() == 0, path


def check_refresh_in_place_keeps_the_reader(run):
    stage = run.stage("twelve")
    with run.page(stage, STALE, height=500) as page:
        page.click("#silence summary")
        page.fill("#silence input[name=by]", "half a name")
        page.evaluate("document.querySelector('#propagation-table').open = true")
        page.evaluate("scrollTo(0, 500)")
        page.fill("#try input[name=url]", "/half-typed")
        before = page.evaluate("scrollY")
        # The refresh that the timer would start.
        with page.expect_response(lambda answer: "/assets/" not in answer.url):
            page.evaluate("document.activeElement.blur(); document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(200)
        assert abs(page.evaluate("scrollY") - before) < 3
        assert page.locator("#propagation-table").evaluate("element => element.open")
        assert page.input_value("#try input[name=url]") == "/half-typed"
        assert page.input_value("#silence input[name=by]") == "half a name"
    status, headers, _ = fetch(stage.url + "/")
    status, _, body = fetch(stage.url + "/", headers={"If-None-Match": headers["ETag"]})
    assert status == 304 and not body


def check_refresh_leaves_alone_what_is_the_same(run):
    stage = run.stage("twelve")
    with run.page(stage, "/incidents") as page:
        page.goto(stage.url + page.locator("a[href^='/incidents/']").first.get_attribute("href"))
        page.evaluate("window.kept = document.querySelector('#verdict button.copy')")
        with page.expect_response(lambda answer: "/assets/" not in answer.url):
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(200)
        assert page.evaluate("window.kept !== null && document.contains(window.kept)")


def check_without_script(run):
    stage = run.stage("twelve")
    with run.page(stage, "/", java_script_enabled=False) as page:
        assert page.locator(".decisions .who a[href^='/domains/']").count() == 12
        assert page.locator("noscript meta[http-equiv=refresh]").count() + page.locator(
            "meta[http-equiv=refresh]").count() >= 1
        page.click(".clock a")
        assert "pause=1" in page.url
        assert "paused" in page.inner_text(".clock")


def check_badges(run):
    stage = run.stage("twelve")
    status, headers, body = fetch(stage.url + "/badge/links.travel.example.svg")
    assert status == 200 and headers["Content-Type"] == "image/svg+xml" and "at some edges" in body
    assert fetch(stage.url + "/badge/other.example.svg")[0] == 404


def main():
    arguments = sys.argv[1:]
    shots = None
    if "--shots" in arguments:
        place = arguments.index("--shots")
        shots = arguments[place + 1]
        os.makedirs(shots, exist_ok=True)
        del arguments[place:place + 2]
    checks = [(name, check) for name, check in globals().items() if name.startswith("check_")
              and (not arguments or any(part in name for part in arguments))]
    failed = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
                                             args=["--no-sandbox"])
        run = Run(browser)
        run.shots = shots
        for name, check in checks:
            began = time.monotonic()
            try:
                check(run)
                print(f"ok      {name[6:].replace('_', ' ')} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception:
                failed.append(name)
                print(f"FAILED  {name[6:].replace('_', ' ')}", flush=True)
                traceback.print_exc()
        run.close()
        browser.close()
    print(f"{len(checks) - len(failed)} of {len(checks)} page checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
