"""The labelling page's outbox by itself: two tabs of one person, and a server that was away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import labeler.app.component

OUTBOX = Path(labeler.app.component.__file__).with_name("outbox.js")

TABS = """
  const sent = [];
  const page = {
    changed() {}, found(events) { this.heard = events; }, answered() {}, unauthorised() {},
  };
  const soon = (wait = 5) => new Promise((done) => setTimeout(done, wait));
  // A tab that never reaches the server until `reach` is called; then its requests are in `sent`.
  const tab = () => {
    const whose = {store: "s", annotator: "ada", spotcheck: "c", token: "", url: ""};
    const made = new Outbox({...whose, tell: {...page}});
    made.request = async () => { throw new Error("away"); };
    made.reach = (status = 200) => { made.request = async (path, {body}) => {
      const {events} = JSON.parse(body);
      sent.push(events);
      const said = {acknowledged: events.map((one) => one.event), refused: []};
      return {status, ok: status === 200, json: async () => said};
    }; };
    return made;
  };
  const pair = {task: 1, query_id: "q", passage_id: "p"};
  const press = (grade) => ({...pair, action: "label", grade, note: ""});
"""


def _run(chromium: Any, script: str) -> Any:
    page = chromium.new_page()
    # A page of its own: localStorage belongs to an origin. Nothing is asked of any network.
    page.route("**/*", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto("http://labels.invalid/")
    source = OUTBOX.read_text(encoding="utf-8")
    found = page.evaluate(f"async () => {{ {source} {TABS} {script} }}")
    page.close()
    return found


def test_what_another_tab_said_before_is_sent_before(chromium: Any) -> None:
    script = """
      const [first, second] = [tab(), tab()];
      first.add(press("YES"));
      await soon();
      second.reach();
      second.add(press("NO"));
      await soon(80);
      first.reach();
      await first.send();
      return {sent: sent.map((events) => events.map((one) => [one.grade, "serial" in one])),
              heard: second.tell.heard.map((one) => one.grade),
              left: Object.keys(localStorage).length};
    """
    found = _run(chromium, script)
    # The older press goes with the newer one and before it, and so again from its own tab: then
    # both are known.
    assert found["sent"] == [[["YES", False], ["NO", False]]] * 2
    assert found["heard"] == ["YES", "NO"]  # the page shows what was said last
    assert found["left"] == 0


def test_a_tab_opened_earlier_does_not_send_its_old_presses_last(chromium: Any) -> None:
    script = """
      const [early, late] = [tab(), tab()];
      early.serial = Date.now() - 3600000; // it made its last press an hour ago
      early.add(press("YES"));
      await soon();
      late.add(press("PART"));
      await soon();
      early.add(press("NO"));
      await soon();
      const next = tab();
      next.reach();
      next.open();
      await soon();
      next.close();
      return sent.map((events) => events.map((one) => one.grade));
    """
    assert _run(chromium, script) == [["YES", "PART", "NO"]]


def test_a_page_that_was_replaced_gives_up_once_its_pass_has_expired(chromium: Any) -> None:
    script = """
      const old = tab();
      old.open();
      old.add(press("YES"));
      await soon(60);
      old.close();
      old.reach(401);
      await old.send();
      await old.send();
      return [sent.length, old.waiting.size, Object.keys(localStorage).length];
    """
    assert _run(chromium, script) == [1, 0, 1]  # asked once; the press is kept for the next page
