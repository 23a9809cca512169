"""The documentation builds as a site: every link resolves, nothing is loaded from other hosts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = (ROOT / "node_modules" / "mermaid", ROOT / "node_modules" / "iframe-worker")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not all(folder.is_dir() for folder in SCRIPTS):
        pytest.skip("mermaid and iframe-worker are missing: npm install failed")
    folder = tmp_path_factory.mktemp("site")
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder))
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_and_decision_is_in_the_site(site: Path) -> None:
    sources = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "decisions").glob("*.md")]
    expected = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in sources}
    assert {path for path in expected if not (site / path).is_file()} == set()
    navigation = (site / "index.html").read_text(encoding="utf-8")
    assert {path for path in expected if f'href="{path}"' not in navigation} == set()


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    loaded = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(https?://[^"]+)"')
    external_urls = {
        (path.name, url)
        for path in site.rglob("*.html")
        for url in loaded.findall(path.read_text(encoding="utf-8"))
    }
    assert external_urls == set()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=lambda path: path.name
)
def test_a_decision_has_a_number_a_status_a_date_and_its_three_sections(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    number = int(path.name[:4])
    assert re.match(rf"# {number}\. \S.+\n\n- Status: \w+\n- Date: \d{{4}}-\d\d-\d\d\n\n", text)
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert [h for h in headings if h in ("Context", "Decision", "Consequences")] == [
        "Context",
        "Decision",
        "Consequences",
    ]


def test_every_python_file_that_a_document_names_exists() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    documents += (ROOT / "contracts").glob("*/README.md")
    folders = ("src", "packages", "pages", "tests", "contracts", "scripts", "benchmarks")
    files = [f"/{path.relative_to(ROOT)}" for name in folders for path in (ROOT / name).rglob("*")]
    named = {
        path
        for document in documents
        for path in re.findall(r"`([\w./-]+/\w+\.py)`", document.read_text(encoding="utf-8"))
    }
    assert named
    assert {path for path in named if not any(file.endswith(f"/{path}") for file in files)} == set()


def test_every_button_that_the_guides_name_is_on_a_screen() -> None:
    guides = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    pressed = re.compile(r"\bpress(?:es)?\s+\*\*([^*]+)\*\*")
    texts = [path.read_text(encoding="utf-8") for path in guides]
    named = {label for text in texts for label in pressed.findall(text)}
    folders = (ROOT / "pages", ROOT / "src" / "crossway" / "dashboard")
    screens = "".join(
        path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")
    )
    assert named
    assert {label for label in named if f'"{label}' not in screens} == set()
