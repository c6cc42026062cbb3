"""Every page in every state: axe finds nothing in light and in dark, nothing sticks out sideways,
controls are large on a phone and its dock is in view, nothing lies over another thing."""

import json

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from .conftest import CALM, DESKTOP, PHONE
from .scenes import COMPLAINTS, PARTS, Stage

WIDTHS = (390, 360, 320)
SMALLEST = 44

STICKS_OUT = """(width) => {
  const wide = document.documentElement.scrollWidth;
  if (wide > width) return [`the page is ${wide} wide`];
  // What scrolls within the page is in nobody's way.
  const scrolls = (element) => element !== document.body &&
    (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const out = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility() || element.closest(".sr, .skip, dialog:not([open])")) continue;
    const { left, right, width: own, height } = element.getBoundingClientRect();
    const sticks = own > 1 && height > 1 && (right > width + 1 || left < -1);
    if (sticks && !scrolls(element.parentElement))
      out.push(`${element.localName}.${element.getAttribute("class")} ${left}…${right}`);
  }
  return out;
}"""

TOO_LOW = """(smallest) => {
  const controls = "button, summary, select, textarea, input:not([type=hidden], .pick > *), " +
    "label.pick, a";
  // A link within a sentence is as high as its line.
  const inline = (control) => control.localName === "a" && [...control.parentElement.childNodes]
    .some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  const low = [];
  for (const control of document.querySelectorAll(controls)) {
    if (!control.checkVisibility() || control.closest(".sr, .skip, dialog:not([open])")) continue;
    if (inline(control)) continue;
    // A box to tick or to choose counts with its label.
    const box = control.matches("[type=checkbox], [type=radio]");
    const { height } = (box && control.closest("label") || control).getBoundingClientRect();
    if (height < smallest - .5)
      low.push(`${control.localName} "${control.textContent.trim().slice(0, 30)}" ${height}`);
  }
  return low;
}"""

DOCK = """() => {
  const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
  const problems = [];
  const dock = box(".dock"), main = box("#act-main");
  if (!main) return problems;  // nothing can be played
  if (dock.bottom > innerHeight + 1 || dock.top < 0) problems.push("the dock is not in view");
  if (main.bottom > innerHeight + 1) problems.push("the main action is not in view");
  for (const card of document.querySelectorAll("#hand .card")) {
    const { bottom, right } = card.getBoundingClientRect();
    if (bottom > innerHeight || right > innerWidth) problems.push("a card of the hand is cut off");
  }
  if (scrollY === 0) for (const card of document.querySelectorAll(".pile .card, .target .card")) {
    const { bottom } = card.getBoundingClientRect();
    if (bottom > dock.top + 1) problems.push("the dock covers an enemy");
  }
  return problems;
}"""

STEPS = """() => {
  const steps = document.querySelector(".jumps")?.getBoundingClientRect();
  const gone = steps && (steps.bottom > innerHeight + 1 || steps.top < 0);
  return gone ? ["the steps are out of view"] : [];
}"""

COVERED = """() => {
  if (document.querySelector("details[data-pops][open], dialog[open]")) return [];
  const covered = [];
  for (const thing of document.querySelectorAll("a, button, summary, h1, h2, label.pick, .num")) {
    if (!thing.checkVisibility() || thing.closest(".sr, .skip")) continue;
    const { left, top, width, height } = thing.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!found || width < 2) continue;  // beyond the window, or for the ear only
    if (!thing.contains(found) && !found.contains(thing))
      covered.push(`"${thing.textContent.trim()}" lies under ${found.localName} ` +
        `"${found.textContent.trim().slice(0, 40)}"`);
  }
  return covered;
}"""


AXE = """async (options) => {
  const { violations } = await axe.run(options);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}"""


def axe(page, scheme):
    """What axe finds. In the dark only the colours can differ."""
    page.emulate_media(color_scheme=scheme)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # The style sheets are the site's own: there is nothing to load.
    options = {"resultTypes": ["violations"], "preload": False}
    if scheme == "dark":
        options["runOnly"] = ["color-contrast"]
    return [f"{found} ({scheme})" for found in page.evaluate(AXE, options)]


def faults_on_a_desktop(page):
    yield from page.evaluate(STICKS_OUT, DESKTOP["viewport"]["width"])
    yield from page.evaluate(COVERED)


def faults_on_a_phone(page):
    height = PHONE["viewport"]["height"]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        for fault in page.evaluate(STICKS_OUT, width) + page.evaluate(TOO_LOW, SMALLEST):
            yield f"{fault} (at {width})"
    page.set_viewport_size(PHONE["viewport"])
    for end in ("0", "document.documentElement.scrollHeight"):
        page.evaluate(f"() => scrollTo(0, {end})")
        yield from page.evaluate(DOCK)
        yield from page.evaluate(STEPS)
    page.evaluate("() => scrollTo(0, 0)")


@pytest.fixture(scope="session")
def filled(site, crowd):
    """What `filling.py` makes beside the demo."""
    code = "from tests.browser import filling; filling.fill()"
    return json.loads(site.manage("shell", "--verbosity=0", "--command", code))


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("part", PARTS)
def test_every_page(new_page, crowd, filled, laid, expected_complaints, part, device):
    page = new_page(**device, **CALM)
    expected_complaints += COMPLAINTS
    found = {}
    for scene in PARTS[part](Stage(page, new_page(), crowd, filled, laid)):
        faults = [*axe(page, "light"), *axe(page, "dark")]
        faults += (faults_on_a_phone if device is PHONE else faults_on_a_desktop)(page)
        for fault in faults:
            found.setdefault(fault, []).append(scene)
    assert not found, "\n\n".join(f"{fault}\n  at {places}" for fault, places in found.items())
