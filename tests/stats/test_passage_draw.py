"""Which passages queries are drafted from: what is left out; the draw is stratified, seeded, and
only grows.
"""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.stats import passage_draw
from labeler.stats.passage_draw import Distinct, Eligible, Told, Why

WORDS = "the relay keeps each batch on disk until the server has said that it is stored safely "


def prose(about: str, words: int = 30) -> str:
    """`words` words of which the first tells texts apart."""
    return " ".join([about, *(WORDS * 9).split()][:words]) + "."


def sift(*told: Told) -> dict[str, Why]:
    sifted = passage_draw.sift(told, repeated=passage_draw.repeated(told))
    left = {one.passage_id: one.why for one in sifted.skipped}
    assert {one.passage_id for one in sifted.eligible}.isdisjoint(left)
    assert len(sifted.eligible) + len(left) == len(told)
    return left


def test_what_is_shorter_than_twenty_words_is_a_stub_in_any_script():
    long_enough = "网站的每个页面都有同样的页脚所以这里只是测试文字"  # 24 characters, a word each
    assert sift(
        Told("heading", "Annual leave"),
        Told("nineteen", prose("a", 19)),
        Told("twenty", prose("b", 20)),
        Told("nothing", ""),
        Told("han", long_enough),
        Told("han stub", long_enough[:19]),
    ) == {"heading": Why.STUB, "nineteen": Why.STUB, "nothing": Why.STUB, "han stub": Why.STUB}


def test_a_copy_is_one_whatever_its_case_and_white_space_and_names_what_it_copies():
    told = [Told("a", prose("one")), Told("b", prose("ONE").replace(" ", "  "))]
    (skipped,) = passage_draw.sift(told, repeated=frozenset()).skipped
    assert skipped == ("b", Why.COPY, "a")


def test_a_footer_that_stands_in_three_sources_is_boilerplate_and_a_text_that_ends_in_it_is_not():
    footer = (
        "This handbook is kept by the people team of the company and is valid from the day on "
        "which it is published. Page {} of 9 of the printed edition for the archive."
    )
    told = [Told(f"f{page}", footer.format(page), f"page-{page}") for page in range(3)]
    text = prose("own", 60) + " " + footer.format(7)
    # 60 words of its own against the footer's 31.
    left = sift(*told, Told("text", text, "page-8"))
    assert left == dict.fromkeys(("f0", "f1", "f2"), Why.BOILERPLATE)
    # In two sources it is not yet: a corpus may hold a page in two editions.
    assert Why.BOILERPLATE not in sift(*told[:2]).values()


def test_a_page_in_a_few_editions_is_no_boilerplate_where_there_are_many_sources():
    # 4 of 204 sources is 1.96%, less than 2%; 4 of 200 is 2%.
    editions = [Told(f"e{i}", prose("edition"), f"edition-{i}") for i in range(4)]
    others = [Told(f"o{i}", prose(f"o{i}") + prose(f"x{i}"), f"other-{i}") for i in range(200)]
    assert sift(*editions, *others) == dict.fromkeys(("e1", "e2", "e3"), Why.COPY)
    left = sift(*editions, *others[:196])
    assert left == dict.fromkeys(("e0", "e1", "e2", "e3"), Why.BOILERPLATE)


@pytest.mark.parametrize(
    "text",
    [
        "We use cookies on this page and on all others to see what you and other people read. "
        "Accept all cookies or go to the cookie settings to choose which of them you want.",
        "Skip to main content\nHome > Handbook > Leave\n© 2026 Larkfen, all rights reserved, in "
        "this country and in all of the others where it is sold by anybody\nBack to top",
        "Annual leave\nSick leave\nParental leave\nMeals and drinks\nHotels\nTrains and flights\n"
        "Phones\nLaptops\nHome office\nSwimming and other sports\nThe annual party",
    ],
)
def test_cookies_copyright_and_lists_of_links_are_boilerplate(text: str):
    assert sift(Told("a", text)) == {"a": Why.BOILERPLATE}


def test_text_about_a_legal_page_is_no_boilerplate():
    about = "The privacy policy says for how long the records of people who have left are kept, "
    assert sift(Told("a", about + prose("and")), Told("b", prose("z"))) == {}


def test_a_near_copy_is_found_by_its_words_in_a_row():
    taken = Distinct()
    first = [f"w{i}" for i in range(104)]  # 100 shingles of 5
    taken.take("first", " ".join(first))
    # A word changed at the end breaks 1 shingle; one in the middle breaks 5.
    assert taken.near(" ".join([*first[:-1], "x"])) == "first"
    changed = list(first)
    for place in (10, 30, 50, 70):
        changed[place] = "x"
    assert taken.near(" ".join(changed)) == "first"  # 80 of 100
    changed[90] = "x"
    assert taken.near(" ".join(changed)) == ""  # 75 of 100
    # What is contained in it is one too, however short.
    assert taken.near(" ".join(first[20:50])) == "first"
    assert taken.near(prose("other")) == ""


def test_sections_are_named_down_to_the_first_level_in_which_sources_differ():
    def levels(path: str) -> list[str]:
        parts = path.split("/")
        return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]

    paths = ["site/en/docs/build/a", "site/en/docs/build/b", "site/en/docs/about"]
    assert passage_draw.depth(map(levels, paths)) == 4
    assert passage_draw.depth([levels("one/page")]) == 2
    assert passage_draw.depth([[], []]) == passage_draw.depth([]) == 0


def strata(order: list[Eligible]) -> Counter[str]:
    return Counter(one.section for one in order)


def test_the_sample_is_in_proportion_with_one_of_each_stratum_first():
    # One length: every text has 30 words, so the thirds do not part them.
    known = [Eligible(f"a{i}", "a", 30) for i in range(60)]
    known += [Eligible(f"b{i}", "b", 30) for i in range(30)]
    known += [Eligible(f"c{i}", "c", 30) for i in range(10)]
    order = passage_draw.in_order(known, seed=1)
    assert strata(order[:2]) == {"a": 1, "b": 1}  # the larger ones where n allows no more
    assert strata(order[:3]) == {"a": 1, "b": 1, "c": 1}
    assert strata(order[:10]) == {"a": 6, "b": 3, "c": 1}
    assert strata(order[:50]) == {"a": 30, "b": 15, "c": 5}


def test_short_and_long_passages_are_drawn_alike():
    known = [Eligible(f"p{i}", "", 20 + i) for i in range(90)]
    lengths = [one.words for one in passage_draw.in_order(known, seed=3)[:9]]
    assert Counter((words - 20) // 30 for words in lengths) == {0: 3, 1: 3, 2: 3}


PASSAGES = st.lists(
    st.builds(Eligible, st.text(max_size=6), st.sampled_from("abc"), st.integers(20, 400)),
    max_size=60,
    unique_by=lambda one: one.passage_id,
)


@given(PASSAGES, st.integers(), st.randoms())
def test_the_order_is_the_seeds_alone_and_holds_every_passage_once(known, seed, chance):
    order = passage_draw.in_order(known, seed=seed)
    shuffled = list(known)
    chance.shuffle(shuffled)
    assert passage_draw.in_order(shuffled, seed=seed) == order
    assert sorted(order) == sorted(known)


@given(PASSAGES, st.integers(1, 60))
def test_no_stratum_is_more_than_one_passage_from_its_share(known, n):
    """Webster's method with a floor of one, here without thirds: all texts are of one length."""
    known = [one._replace(words=30) for one in known]
    sizes, order = strata(known), passage_draw.in_order(known, seed=0)
    n = min(n, len(order))
    drawn = strata(order[:n])
    if n >= len(sizes):
        assert set(drawn) == set(sizes)
        for section, size in sizes.items():
            assert drawn[section] <= max(1, n * size / len(known) + 1)


def test_another_seed_draws_others():
    known = [Eligible(f"p{i}", "", 30) for i in range(200)]
    first, second = (passage_draw.in_order(known, seed=seed)[:20] for seed in (1, 2))
    assert len(set(first) & set(second)) < 10


@given(st.lists(st.text(max_size=80), max_size=12))
def test_no_text_is_an_error(texts):
    sift(*(Told(str(place), text) for place, text in enumerate(texts)))


def test_three_thousand_passages_take_seconds():
    told = [Told(str(i), prose(f"p{i}", 100), f"s{i % 300}") for i in range(3_000)]
    started = time.perf_counter()
    sifted = passage_draw.sift(told, repeated=passage_draw.repeated(told))
    passage_draw.in_order(sifted.eligible, seed=0)
    assert time.perf_counter() - started < 10
