"""Presses in a real browser become exactly the rows that they should, whatever happens between."""

from __future__ import annotations

import signal
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from tests.browser.desk import Desk
from tests.browser.serving import Pair, Server

pytestmark = pytest.mark.browser

KEYS = "ypn1y23npy1nnpy2ypn3"  # 20 presses, no two neighbours alike for long


@pytest.mark.parametrize("gap", [20, 50, 150, 400])
def test_twenty_presses_make_the_rows_of_the_passages_that_were_drawn(
    server: Server, desks: Callable[..., Desk], gap: int
) -> None:
    desk = desks(server, "ada", f"every-{gap}").open()
    desk.press(*KEYS, every=gap)
    desk.settled()
    presses = desk.presses()
    wanted = desk.wanted()
    assert len(presses) == 20
    assert server.rows(f"every-{gap}") == wanted
    # A pair moves on when it is labelled, so no pair has two rows.
    assert len({row.pair for row in wanted}) == len(wanted)
    if gap < 120:  # a passage must have stood 120 ms before a press on it counts
        assert 1 <= len(wanted) < 20
    if gap == 400:
        assert len(wanted) == 20
        assert desk.page.get_by_test_id("pause").inner_text().startswith("All 20 labelled, saved")


def test_a_press_that_comes_too_quickly_is_refused_in_words(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "held").open()
    desk.page.keyboard.press("y")
    desk.page.keyboard.press("y")
    assert "did not count" in desk.message()
    desk.settled()
    assert server.rows("held") == desk.wanted()[:1]


def test_a_held_key_labels_one_passage(server: Server, desks: Callable[..., Desk]) -> None:
    before = len(server.rows("held"))
    desk = desks(server, "ada", "held").open()
    for _ in range(25):  # after the first, Chromium marks each as a repeat
        desk.page.keyboard.down("n")
        desk.page.wait_for_timeout(40)
    desk.page.keyboard.up("n")
    desk.settled()
    assert [row.grade for row in server.rows("held")[before:]] == ["NO"]


def test_a_held_enter_on_a_button_labels_one_passage(
    server: Server, desks: Callable[..., Desk]
) -> None:
    before = len(server.rows("held"))
    desk = desks(server, "ada", "held").open()
    desk.page.get_by_test_id("grade-PART").focus()
    for _ in range(25):
        desk.page.keyboard.down("Enter")
        desk.page.wait_for_timeout(40)
    desk.page.keyboard.up("Enter")
    desk.settled()
    assert [row.grade for row in server.rows("held")[before:]] == ["PART"]


def test_a_reload_while_typing_loses_and_doubles_nothing(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "reload").open()
    desk.press(*KEYS[:10])
    assert len(desk.presses()) == 10
    desk.page.keyboard.press("y")
    desk.presses()
    desk.page.reload()
    desk.ready().press(*KEYS[10:])
    desk.settled()
    wanted = desk.wanted()
    assert server.rows("reload") == wanted
    assert len(wanted) >= 18


def test_what_a_closed_tab_left_is_sent_by_the_next(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "closed").open()
    desk.page.route("**/labeling/events", lambda route: route.abort())
    desk.press("y", "p", "n")
    wanted = desk.wanted()
    assert desk.pending() == 3
    assert server.rows("closed") == []
    desk.page.close()
    other = desks(server, "ada", "closed", beside=desk).open().settled()
    assert server.rows("closed") == wanted
    assert len(wanted) == 3
    assert other.progress() == (3, 12)
    assert other.drawn() not in {row.pair for row in wanted}


def test_presses_outlive_a_killed_server(own_server: Server, desks: Callable[..., Desk]) -> None:
    desk = desks(own_server, "ada", "killed").open()
    desk.press(*KEYS[:8])
    own_server.end(signal.SIGKILL)
    desk.press(*KEYS[8:10])  # what was fetched ahead goes on
    desk.page.wait_for_timeout(7000)  # Streamlit has said by now that its server is away
    desk.press(*KEYS[10:12])
    assert desk.pending() >= 4
    own_server.start()
    desk.settled(60_000)
    desk.ready().press(*KEYS[12:])
    desk.settled()
    wanted = desk.wanted()
    assert own_server.rows("killed") == wanted
    assert len(wanted) >= 16


def test_offline_and_back(server: Server, desks: Callable[..., Desk]) -> None:
    desk = desks(server, "ada", "offline").open()
    desk.press(*KEYS[:3])
    desk.settled()
    desk.page.context.set_offline(True)
    desk.press(*KEYS[3:7])
    assert desk.pending() == 4
    assert "kept on this computer" in desk.page.get_by_test_id("save-state").inner_text()
    assert len(server.rows("offline")) == 3
    desk.page.context.set_offline(False)
    desk.settled()
    desk.ready().press(*KEYS[7:12])
    desk.settled()
    assert server.rows("offline") == desk.wanted()
    assert len(desk.wanted()) == 12


def test_keys_are_off_while_a_note_is_typed_and_a_sheet_is_open(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "typing").open()
    pair = desk.drawn()
    desk.press("/")
    desk.page.keyboard.type("yes? no, 1 or 2; part 0 later u")
    desk.press("Escape")
    desk.press("/")
    desk.page.keyboard.type("yn 123 plu0")
    desk.press("Enter")
    desk.settled()
    assert desk.drawn() == pair
    for opens, closes in (("?", "Escape"), ("r", "r")):
        desk.press(opens, *"ynp1230lu", closes)
    assert desk.drawn() == pair
    desk.press("y")
    desk.settled()
    assert [(row.pair, row.action, row.grade) for row in server.rows("typing")] == [
        (pair, "note", None),
        (pair, "label", "YES"),
    ]
    assert server.standing("typing") == {pair: [("ada", "YES", "yn 123 plu0")]}


def test_a_modifier_makes_a_key_somebody_elses(server: Server, desks: Callable[..., Desk]) -> None:
    desk = desks(server, "ada", "modifier").open()
    pair = desk.drawn()
    desk.press("Control+y", "Alt+n", "Meta+p")
    desk.settled()
    assert desk.drawn() == pair
    assert server.rows("modifier") == []
    desk.press("Shift+Y")  # Shift is none: some keyboards need it for digits
    desk.settled()
    assert server.rows("modifier") == [(pair, "label", "YES")]


def test_two_tabs_of_one_person_agree(server: Server, desks: Callable[..., Desk]) -> None:
    one = desks(server, "ada", "tabs").open()
    two = desks(server, "ada", "tabs", beside=one).open()
    assert one.drawn() == two.drawn()
    one.page.bring_to_front()
    one.press(*KEYS[:5])
    one.settled()
    two.page.wait_for_selector("[data-testid=progress][data-done='5']")
    two.page.bring_to_front()
    two.page.wait_for_timeout(200)
    # The second tab still draws what its person sees there, now with the grade said in the first.
    assert two.page.get_by_test_id("own-grade").inner_text() == "You said YES"
    two.press("n", *KEYS[5:9])
    two.settled()
    one.settled()
    rows = server.rows("tabs")
    assert sorted(rows) == sorted([*one.wanted(), *two.wanted()])
    assert rows[5].pair == rows[0].pair
    assert len({row.pair for row in rows}) == len(rows) - 1
    one.page.wait_for_selector("[data-testid=progress][data-done='9']")


def test_two_people_are_never_handed_the_same_pair(
    server: Server, desks: Callable[..., Desk]
) -> None:
    ada = desks(server, "ada", "people").open()
    grace = desks(server, "grace", "people").open()
    handed: dict[str, set[Pair]] = {"ada": set(), "grace": set()}
    for _ in range(24):
        for name, desk in (("ada", ada), ("grace", grace)):
            if desk.drawn():
                handed[name].add(desk.drawn())
                desk.press("p", every=160)
    for desk in (ada, grace):
        desk.settled()
        desk.page.wait_for_selector("[data-testid=pause][data-kind=finished]")
    assert handed["ada"].isdisjoint(handed["grace"])
    assert len(handed["ada"] | handed["grace"]) == 24
    assert min(map(len, handed.values())) >= 3
    standing = server.standing("people")
    assert len(standing) == 24
    assert all(len(said) == 1 for said in standing.values())


def test_undo_goes_back_and_the_label_stands_until_another_is_pressed(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "undo").open()
    first = desk.drawn()
    desk.press("y")
    second = desk.drawn()
    desk.press("p", "u")
    assert desk.drawn() == second
    assert desk.page.get_by_test_id("grade-PART").get_attribute("aria-pressed") == "true"
    desk.press("u")
    assert desk.drawn() == first
    desk.settled()
    assert server.standing("undo") == {first: [("ada", "YES", "")], second: [("ada", "PART", "")]}
    desk.press("n")
    desk.settled()
    assert desk.drawn() not in {first, second}
    assert server.standing("undo")[first] == [("ada", "NO", "")]
    assert [(row.pair, row.action) for row in server.rows("undo")] == [
        (first, "label"),
        (second, "label"),
        (second, "undo"),
        (first, "undo"),
        (first, "label"),
    ]
    assert desk.progress() == (2, 12)


def test_later_comes_again_before_the_end(server: Server, desks: Callable[..., Desk]) -> None:
    desk = desks(server, "ada", "later").open()
    put_off = desk.drawn()
    desk.press("l", "0")
    assert desk.progress() == (1, 6)
    desk.press("y", "y", "y", "y")
    assert desk.drawn() == put_off
    desk.press("l")
    desk.settled()
    shown = desk.page.get_by_test_id("pause").inner_text()
    assert shown.startswith("5 of 6 labelled, saved")
    assert "1 put off" in shown
    desk.page.get_by_role("button", name="Go through the 1 put off").click()
    desk.ready()
    assert desk.drawn() == put_off
    desk.press("n")
    desk.settled()
    assert desk.page.get_by_test_id("pause").inner_text().startswith("All 6 labelled, saved")
    stands = [said[0][1] for said in server.standing("later").values()]
    assert sorted(stands) == ["NO", "YES", "YES", "YES", "YES", "unsure"]


def test_buttons_do_what_their_keys_do_and_keep_their_places(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "buttons").open()
    names = ("grade-YES", "grade-PART", "grade-NO", "unsure", "later", "undo")
    places = {name: desk.page.get_by_test_id(name).bounding_box() for name in names}
    pairs = []
    for name in names[:5]:
        pairs.append(desk.drawn())
        desk.page.get_by_test_id(name).click()
        desk.page.wait_for_timeout(160)
    desk.page.get_by_test_id("undo").click()
    desk.settled()
    assert desk.drawn() == pairs[3]
    assert {name: desk.page.get_by_test_id(name).bounding_box() for name in names} == places
    assert [(row.pair, row.action, row.grade) for row in server.rows("buttons")] == [
        (pairs[0], "label", "YES"),
        (pairs[1], "label", "PART"),
        (pairs[2], "label", "NO"),
        (pairs[3], "unsure", None),
        (pairs[4], "later", None),
        (pairs[3], "undo", None),
    ]


def test_a_pair_that_was_not_handed_out_is_refused_and_shown(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "invented").open()
    desk.page.route(
        "**/labeling/events",
        lambda route: route.continue_(
            post_data=route.request.post_data.replace("invented-p0", "typing-p3")
        ),
    )
    desk.press("y", "p")
    desk.settled()
    assert "not handed to ada" in desk.page.get_by_test_id("refused").inner_text()
    assert [row.grade for row in server.rows("invented")] == ["PART"]
    desk.page.wait_for_selector("[data-testid=progress][data-done='1']")


@pytest.mark.timed
def test_from_key_to_the_next_passage_painted(
    server: Server, desks: Callable[..., Desk], measured: dict[str, list[float]]
) -> None:
    desk = desks(server, "ada", "speed").open()
    desk.press(*islice(KEYS * 2, 40), every=160)
    desk.settled()
    assert server.rows("speed") == desk.wanted()
    measured["40 presses"] = desk.page.evaluate("window.latencies")
    assert len(measured["40 presses"]) == len(desk.wanted())


def test_an_expired_pass_is_renewed_and_the_press_stored(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "expired").open()
    passes: list[str] = []

    def answer(route: Any) -> None:
        passes.append(route.request.headers["authorization"])
        if len(set(passes)) == 1:  # until the page comes with another pass
            route.fulfill(status=401, json={"error": "this page's pass has expired"})
        else:
            route.continue_()

    desk.page.route("**/labeling/events", answer)
    desk.page.wait_for_timeout(1100)  # passes name their second
    desk.press("y", "n")
    desk.settled()
    assert server.rows("expired") == desk.wanted()
    assert len(desk.wanted()) == 2
    assert len(set(passes)) == 2
