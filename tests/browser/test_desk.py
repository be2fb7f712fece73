"""The reviewers' desk by keyboard alone: from an empty file to the export, as fast as typing."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import TimeoutError as Late

from labeler.exporting import Choice, export
from labeler.model import Passage, Query
from labeler.store import corpora, queries
from labeler.store.db import open_reader, open_store
from tests.browser.serving import Server

TABS = 90
"""How many presses of Tab may lead from anywhere to anything on a page."""


class Keyboard:
    """A tab of a browser that is only ever given keys."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, address: str) -> Keyboard:
        self.page.goto(address)
        return self.quiet()

    def quiet(self) -> Keyboard:
        """Wait until Streamlit has run."""
        self.page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        self.page.wait_for_timeout(300)
        return self

    def to(self, wanted: Any) -> Keyboard:
        """Press Tab until `wanted`, or something in it, has the focus."""
        wanted.first.wait_for()
        self.page.evaluate("document.activeElement?.blur()")
        for _ in range(TABS):
            self.page.keyboard.press("Tab")
            if wanted.first.evaluate("one => one.contains(document.activeElement)"):
                return self
        pytest.fail(f"Tab does not lead to {wanted}")

    def press(self, *keys: str) -> Keyboard:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def type(self, text: str) -> Keyboard:
        self.page.keyboard.type(text)
        return self

    def button(self, name: str) -> Keyboard:
        """Go to a button that can be seen and press it."""
        named = self.page.get_by_role("button", name=name, exact=True)
        return self.to(named.locator("visible=true")).press("Enter").quiet()

    def field(self, label: str) -> Keyboard:
        return self.to(self.page.get_by_label(label, exact=True).locator("visible=true"))

    def choose(self, label: str, value: str) -> Keyboard:
        """Choose from what drops down, once the page is at rest: a run closes what is open."""
        box = self.page.get_by_role("combobox", name=label).locator("visible=true")
        option = self.page.get_by_role("option", name=value).first
        self.quiet().to(box)
        self.page.keyboard.type(value, delay=20)
        try:
            option.wait_for(timeout=5_000)
        except Late:  # a run came between, as a person would see: once more
            self.press("Escape").quiet().to(box)
            self.page.keyboard.type(value, delay=20)
            option.wait_for()
        return self.press("Enter")

    def write(self, text: str, kind: str) -> str:
        """Write a query; its id."""
        before = self.page.evaluate("new URLSearchParams(location.search).get('query')")
        self.quiet().to(self.page.locator("summary", has_text="Write a query")).press("Enter")
        self.field("Query as asked").type(text)
        self.choose("Kind", kind)
        self.button("Save")
        self.page.wait_for_function(
            "before => { const now = new URLSearchParams(location.search).get('query');"
            " return now?.startsWith('own-') && now !== before; }",
            arg=before,
        )
        self.page.locator("code", has_text=text).first.wait_for()
        return str(self.page.evaluate("new URLSearchParams(location.search).get('query')"))

    def search(self, text: str) -> Keyboard:
        """Go to the search with S and type."""
        self.page.get_by_test_id("desk-search").wait_for()
        self.page.evaluate("document.activeElement?.blur()")
        self.press("s", "Control+a", "Delete").type(text)
        self.page.wait_for_function(
            "text => document.querySelector('[data-testid=desk-results]').dataset.text === text",
            arg=text,
        )
        return self

    def keep(self, text: str) -> Keyboard:
        """Search, and keep the search as evidence."""
        self.search(text).press("Enter")
        self.page.get_by_test_id("desk-count").filter(has_text="Kept as evidence").wait_for()
        return self.press("Escape").quiet()

    def add(self, text: str, passage_id: str, grade: str) -> Keyboard:
        """Search, choose a passage, add it, and label it."""
        self.search(text)
        ids = self.page.locator("[data-testid=desk-results] li").evaluate_all(
            "rows => rows.map((row) => row.dataset.passageId)"
        )
        self.press(*["ArrowDown"] * ids.index(passage_id))
        self.press("Control+Enter")
        self.page.wait_for_selector(
            f"[data-testid=labeling-card][data-passage-id='{passage_id}']", timeout=30_000
        )
        self.quiet().press(grade)
        self.page.wait_for_selector("[data-testid=save-state][data-pending='0']", state="attached")
        return self.quiet()


@pytest.fixture
def keyboards(chromium: Any) -> Iterator[Callable[[], Keyboard]]:
    """Makes tabs, each of another person's browser."""
    made: list[Keyboard] = []

    def make() -> Keyboard:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        made.append(Keyboard(context.new_page()))
        return made[-1]

    yield make
    for one in made:
        one.page.context.close()
    assert [error for one in made for error in one.errors] == []


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Server]:
    """The app on a file that is not there yet."""
    one = Server(tmp_path / "labeler.duckdb")
    one.start()
    yield one
    one.end(signal.SIGKILL)


def _exported(db: Path, what: str, folder: Path) -> list[dict[str, Any]]:
    with open_reader(db) as store:
        export(store, what, to=folder / f"{what}.jsonl", choice=Choice(form="jsonl"))
    lines = (folder / f"{what}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_a_reviewers_work_by_keyboard_alone_ends_up_in_the_export_and_the_audit_log(
    bare: Server, keyboards: Callable[[], Keyboard], tmp_path: Path
) -> None:
    rita = keyboards().open(f"{bare.url}/?as=rita")
    rita.button("Load the sample project")
    rita.page.get_by_text("The sample project is loaded").wait_for(timeout=60_000)
    rita.to(rita.page.get_by_role("link", name="Queries")).press("Enter").quiet()

    nothing = rita.write("Who feeds the office cat at night?", "unanswerable")
    for text in ("cat", "office pets", "feeding animals"):
        rita.keep(text)
    outcome = rita.page.get_by_role("radiogroup", name="Outcome")
    rita.to(outcome).press("ArrowDown")
    rita.field("Why").type("nothing on animals")
    rita.button("Record it")

    exact = rita.write("ERR-4021 during a ledger import", "exact")
    rita.add("ERR-4021 ledger", "err-ledger-4021", "1")

    both = rita.write("How many days of leave, and how early to ask?", "multi_passage")
    rita.add("annual leave days", "hb-leave-2026", "2")
    rita.add("leave requested in Roster", "hb-faq-leave-stub", "2")
    for fact, carrier in (("28 days", "hb-leave-2026"), ("ask in Roster", "hb-faq-leave-stub")):
        rita.field("What an answer must say").type(fact)
        rita.choose("Passages that say it", carrier)
        rita.press("Escape")
        rita.button("Note the fact")
        rita.page.get_by_text(f"{fact}: {carrier}").wait_for()

    sam = keyboards().open(f"{bare.url}/queries?as=sam&query={exact}")
    sam.add("ERR-4021 ledger", "err-ledger-4021", "3")

    rita.to(rita.page.get_by_role("link", name="Review")).press("Enter").quiet()
    rita.page.get_by_text("1 where people differ").wait_for()
    rita.to(rita.page.get_by_role("radiogroup", name="Decision")).press("Space")
    rita.field("Reason").type("it names the fix").press("Enter")
    rita.page.get_by_text("Settled as YES").wait_for()

    cases = {one["query_id"]: one for one in _exported(bare.db, "cases", tmp_path)}
    assert cases[nothing]["outcome"] == "unanswerable"
    assert cases[nothing]["reason"] == "nothing on animals"
    assert [one["text"] for one in cases[nothing]["searches"]] == [
        "cat",
        "office pets",
        "feeding animals",
    ]
    assert cases[exact]["kind"] == "exact"
    assert cases[both]["facts"] == [
        {"fact": "28 days", "passages": ["hb-leave-2026"]},
        {"fact": "ask in Roster", "passages": ["hb-faq-leave-stub"]},
    ]
    labels = {
        (one["query_id"], one["passage_id"], one["annotator"]): one["grade"]
        for one in _exported(bare.db, "labels", tmp_path)
    }
    assert labels == {
        (exact, "err-ledger-4021", "rita"): "YES",
        (exact, "err-ledger-4021", "sam"): "NO",
        (both, "hb-leave-2026", "rita"): "PART",
        (both, "hb-faq-leave-stub", "rita"): "PART",
    }
    (decision,) = _exported(bare.db, "adjudications", tmp_path)
    assert (decision["grade"], decision["reason"]) == ("YES", "it names the fix")
    assert {"reviewer": "rita", "passage_id": "err-ledger-4021"}.items() <= decision.items()
    log = _exported(bare.db, "audit", tmp_path)
    done = [(one["person"], one["action"]) for one in log if one["at"]]
    for action, times in {
        "write query": 3,
        "search": 3,
        "unanswerable": 1,
        "candidate": 3,
        "label": 3,
        "fact": 2,
        "adjudicate": 1,
    }.items():
        assert done.count(("rita", action)) == times, action
    assert done.count(("sam", "label")) == 1


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app on 20,000 passages of random words."""
    db = tmp_path_factory.mktemp("large") / "labeler.duckdb"
    draw = random.Random(7)
    letters = "abcdefghijklmnoprstuvw"
    words = ["".join(draw.choices(letters, k=draw.randint(3, 9))) for _ in range(20_000)]
    with open_store(db) as store:
        corpora.record(
            store,
            (
                Passage(f"p{i}", " ".join(draw.choices(words, k=60)), f"{words[i]} ERR-{i}")
                for i in range(20_000)
            ),
            name="random",
        )
        queries.record(store, [Query("q", words[0])])
    one = Server(db)
    one.start()
    yield one
    one.end()


def test_who_says_who_they_are_lands_where_their_work_is(
    bare: Server, keyboards: Callable[[], Keyboard]
) -> None:
    rita = keyboards().open(f"{bare.url}/?as=rita")
    rita.button("Load the sample project")
    rita.page.get_by_text("The sample project is loaded").wait_for(timeout=60_000)
    for role, page in (("annotator", "label"), ("reviewer", "queries"), ("lead", "agreement")):
        one = keyboards().open(f"{bare.url}/")
        one.field("Your name").type(f"new {role}")
        one.choose("You are here as", role)
        one.button("Start")
        one.page.wait_for_url(f"**/{page}?*", timeout=30_000)


TYPING = ("ERR-17", "ERR-4021", "abel mon", "tras")
TYPED = """
  window.searched = [];
  let last = null;
  addEventListener("input", ({timeStamp, target}) => {
    last = {at: timeStamp, text: target.value};
  }, {capture: true});
  new MutationObserver(() => {
    const list = document.querySelector("[data-testid=desk-results]");
    if (!last || list?.dataset.text !== last.text) return;
    const {at} = last;
    last = null;
    requestAnimationFrame(() => setTimeout(() => searched.push(performance.now() - at)));
  }).observe(document, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["data-text"],
  });
"""


@pytest.mark.timed
def test_from_key_to_results_painted(
    large: Server, keyboards: Callable[[], Keyboard], measured: dict[str, list[float]]
) -> None:
    page = keyboards()
    page.page.add_init_script(TYPED)
    page.open(f"{large.url}/queries?as=rita&query=q")
    page.page.wait_for_selector("[data-testid=desk-results] li", timeout=60_000)
    page.search("")
    for text in TYPING:
        page.search("")
        for letter in text:
            page.page.keyboard.press(letter)
            page.page.wait_for_timeout(200)
    measured["search in 20,000 passages"] = page.page.evaluate("window.searched")
    assert len(measured["search in 20,000 passages"]) >= sum(
        map(len, ("ERR-17", "ERR-4021", "abel mon", "tras"))
    )
    page.search("ERR-4021")
    first = page.page.locator("[data-testid=desk-results] li").first
    assert first.get_attribute("data-passage-id") == "p4021"


def test_hostile_text_in_the_search_is_shown_and_runs_nothing(
    bare: Server, keyboards: Callable[[], Keyboard], hostile: list[str]
) -> None:
    bare.end()
    with open_store(bare.db) as store:
        corpora.record(
            store,
            [
                Passage(f"h{i}", f"marmalade {text[:2000]}", title=text[:80])
                for i, text in enumerate(hostile)
            ],
            name="h",
        )
        queries.record(store, [Query("q", f"marmalade {hostile[0]}")])
    bare.start()
    rita = keyboards()
    asked: list[str] = []
    dialogs: list[str] = []
    rita.page.on("request", lambda request: asked.append(request.url))
    rita.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    rita.open(f"{bare.url}/queries?as=rita&query=q")
    rita.search("marmalade")
    rows = rita.page.locator("[data-testid=desk-results] li")
    assert rows.count() == len(hostile)
    for _ in range(len(hostile)):
        rita.press("ArrowDown")
        rita.page.wait_for_timeout(150)
    assert dialogs == []
    assert [url for url in asked if "tracker" in url] == []
    assert rita.page.locator("[data-testid=desk-passage] :is(img, script, svg, a)").count() == 0
