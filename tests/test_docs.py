"""The documentation says what is: commands exist, numbers come out, links lead somewhere."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from labeler.cli.main import cli
from labeler.stats.evidence import labels_to_trust, rule_of_thumb_passes
from labeler.stats.intervals import clopper_pearson_bounds, confidence_sequence, wilson

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
WRITTEN = [page for page in PAGES if page.name != "reference.md"]
STATISTICS = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """A page without its code."""
    return _SPAN.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))


def test_the_reference_says_what_the_commands_say():
    path = ROOT / "docs" / "make_reference.py"
    spec = importlib.util.spec_from_file_location("make_reference", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.REFERENCE.read_text(encoding="utf-8") == made.reference(), "run `make docs`"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_relative_link_leads_somewhere(page):
    for link in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"\w+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.is_file(), f"{named(page)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{named(page)}: {link}"


def test_the_pictures_are_pictures_that_a_page_shows():
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    shown = {
        (page.parent / link).resolve()
        for page in PAGES
        for link in _LINK.findall(page.read_text(encoding="utf-8"))
    }
    assert pictures
    for picture in pictures:
        head = picture.read_bytes()[:24]
        assert head.startswith(b"\x89PNG\r\n\x1a\n"), picture.name
        assert int.from_bytes(head[16:20]) >= 1000, f"{picture.name} is too narrow to read"
        assert picture.resolve() in shown, f"no page shows {picture.name}"


def command_lines(page: Path) -> Iterator[str]:
    """Each `labeler ...` of a shell block, also behind `&&`, without its comment."""
    for language, block in _FENCE.findall(page.read_text(encoding="utf-8")):
        if language != "sh":
            continue
        for line in block.splitlines():
            for part in line.split("&&"):
                if part.strip().startswith("labeler "):
                    yield part.strip()


def resolve(words: list[str]) -> tuple[click.Command, click.Context, list[str]]:
    """The command that the words name, and what is left of them."""
    command: click.Command = cli
    ctx = click.Context(cli, info_name="labeler")
    while isinstance(command, click.Group) and words:
        inner = command.get_command(ctx, words[0])
        assert inner is not None, f"{ctx.command_path} has no command {words[0]!r}"
        ctx = click.Context(inner, info_name=words[0], parent=ctx)
        command, words = inner, words[1:]
    return command, ctx, words


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_every_command_line_parses(page, tmp_path):
    with contextlib.chdir(tmp_path):
        for line in command_lines(page):
            words = shlex.split(line, comments=True)[1:]
            command, ctx, rest = resolve(words)
            for word in rest:
                if re.fullmatch(r"[\w-]+\.\w+", word):
                    Path(word).touch()  # a file that must be there
            try:
                command.make_context(ctx.info_name, rest, parent=ctx.parent)
            except click.UsageError as error:
                pytest.fail(f"{named(page)}: {line}: {error.format_message()}")


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_every_command_in_a_sentence_exists_with_its_options(page):
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for span in _SPAN.findall(text):
        if not re.match(r"labeler( |$)", span):
            continue
        words = [word for word in shlex.split(span)[1:] if word != "..."]
        command, _, rest = resolve([word for word in words if word != "--version"])
        known = {name for option in command.params for name in option.opts}
        for word in rest:
            assert not word.startswith("-") or word in known, f"{named(page)}: {span}"


def test_the_pages_show_commands_at_all():
    for name in ("README.md", "docs/guide.md"):
        assert len(list(command_lines(ROOT / name))) > 5


# The vocabulary page itself says which words are not used.
@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "vocabulary.md"], ids=named)
def test_words_outside_the_vocabulary_are_not_used(page):
    unwanted = r"chunks?|docs?|ratings?|annotations?|ground truth|items?|utils?|helpers?|managers?"
    found = re.findall(rf"\b(?:{unwanted}|handlers?)\b", _LINK.sub("", prose(page)), re.IGNORECASE)
    # "RRE ratings" and "a chunk" of RAG tools name other tools' things by their own words.
    allowed = {"docs/guide.md": ["ratings"]}.get(named(page), [])
    assert found == allowed


def report(tmp_path: Path, labels: str, verdicts: str) -> dict[str, object]:
    """`labeler agreement --json` on a store of these qrels."""
    (tmp_path / "labels.qrels").write_text(labels)
    (tmp_path / "verdicts.qrels").write_text(verdicts)
    db = ["--db", str(tmp_path / "docs.duckdb")]
    for words in (
        ["import", "labels", str(tmp_path / "labels.qrels"), "--annotator", "a", *db],
        ["import", "verdicts", str(tmp_path / "verdicts.qrels"), "--judge", "j", *db],
        ["agreement", "--json", *db],
    ):
        done = CliRunner().invoke(cli, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_every_number_of_the_report_is_explained(tmp_path):
    found = report(tmp_path, "q 0 a 2\nq 0 b 0\nr 0 c 1\n", "q 0 a 2\nq 0 b 1\nr 0 c 0\n")
    explained = set(_SPAN.findall(_FENCE.sub("", STATISTICS)))
    assert not sorted(set(found) - explained)
    for part in ("missing", "constant_judge", "direction", "bootstrap"):
        inner = found[part]
        assert isinstance(inner, dict)
        assert not sorted(set(inner) - explained), part


def test_the_table_of_thirty_labels_comes_out():
    # | x | Wilson lo, hi | exact lower, upper | decision | at every look lo, hi |
    rows = re.findall(r"^\| (\d) \|(.+?)\|(.+?)\|.+?\|(.+?)\|$", STATISTICS, re.MULTILINE)
    assert [int(x) for x, *_ in rows] == list(range(8))
    for x, *cells in rows:
        computed = (
            wilson(int(x), 30),
            clopper_pearson_bounds(int(x), 30),
            confidence_sequence(int(x), 30),
        )
        for cell, ends in zip(cells, computed, strict=True):
            written = [float(end) for end in cell.split(",")]
            assert written == pytest.approx(list(ends), abs=5.01e-5), f"x = {x}: {cell}"


def test_the_smallest_samples_and_the_rule_of_thumb_come_out():
    numbers = re.search(r"disagreements: ([\d, ]+)\.", STATISTICS.replace("\n", " "))
    assert numbers is not None
    assert [int(n) for n in numbers[1].split(",")] == [labels_to_trust(x) for x in range(11)]
    thumb = re.search(r'"At most 3\s+of 30" passes(.+?)\.\n\n', STATISTICS, re.DOTALL)
    assert thumb is not None
    passed = re.findall(r"(\d+)%(?: of pairs)? ([\d.]+)%", thumb[1].replace("\n", " "))
    assert [rate for rate, _ in passed] == ["5", "10", "15", "20", "25", "30"]
    for rate, chance in passed:
        assert 100 * rule_of_thumb_passes(int(rate) / 100, 30) == pytest.approx(
            float(chance), abs=0.0501
        )


# Spelled with a class, so that this file does not hold what it looks for.
_ELSEWHERE = re.compile(
    r"(?<![\w.])/(?:wor[k]|hom[e]|roo[t]|User[s])/"
    r"|pyp[i]\.org|pythonhoste[d]\.org|npmj[s]\.|--inde[x]-url|artifactor[y]"
)


def test_no_file_names_a_registry_or_a_place_on_somebodys_machine():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files are the project's is not known")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    found = []
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{name}: {match[0]}" for match in _ELSEWHERE.finditer(text)]
    assert not found
