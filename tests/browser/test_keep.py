"""What is kept and shared: the address, copies and files, undo, the last workload."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from calculator import __main__ as command_line
from tests.browser.person import Person
from tests.browser.test_before_python import held

# ---------------------------------------------------------------- the address


def fragment(page: Page) -> str:
    """Return what stands behind the # of the address, once it has settled."""
    page.wait_for_timeout(500)
    return page.evaluate("location.hash")  # type: ignore[no-any-return]


EDITS = {
    "ranks": "4",
    "loaders.0.num_workers": "12",
    "loaders.0.fields.0.shape": "3, 96, 96",
    "loaders.0.fields.1.name": "größe; #1&t=%25",
    "headroom": "25%",
    "current_shm": "2 GiB",
    "deployment.image": "mine:2",
    "deployment.command": "python train.py --note='b; c'",
}


def test_a_link_brings_everything_to_another_browser(person: Person, browser: Browser) -> None:
    person.page.locator("#loaders-0-fields-add").click()
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    for path, text in EDITS.items():
        person.types(path, text)
    person.finds("kubernetes-pod")
    expect(person.page.locator("#chosen pre")).to_contain_text("mine:2")
    expect(person.page.locator("#stale")).to_be_hidden()
    wanted = form_of(person.page)
    fragment(person.page)
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    other = Person(context.new_page())
    other.open(person.page.url)
    other.wait_until_live()
    expect(other.input("ranks")).to_have_value("4")
    expect(other.page.locator("#chosen .title")).to_have_text("Kubernetes Pod")
    expect(other.page.locator("#chosen pre")).to_have_text(person.block())
    assert form_of(other.page) == wanted
    for path, text in EDITS.items():
        expect(other.input(path)).to_have_value(text)
    expect(other.page.locator("#remarks")).to_be_hidden()
    assert other.page.url == person.page.url
    assert other.page.evaluate("localStorage.length") == 0
    assert other.complaints == []
    context.close()


def form_of(page: Page) -> dict[str, str]:
    """Return what stands in every input."""
    return page.evaluate(  # type: ignore[no-any-return]
        """Object.fromEntries([...document.querySelectorAll("#form [name]")].map((each) =>
          [each.name, each.type === "checkbox" ? String(each.checked) : each.value]))"""
    )


def test_until_it_is_live_a_link_waits_and_what_is_typed_meanwhile_stays(
    page: Page, address: str
) -> None:
    release = held(page, "**/pyodide.asm.wasm")
    person = Person(page)
    person.open(f"{address}#1;w=16")
    expect(page.locator("#stale")).to_have_text(
        "Waiting for Python: this answers the earlier input"
    )
    expect(page.locator("#recommended")).to_have_text("8 GiB")
    person.types("ranks", "4")
    release()
    person.wait_until_live()
    expect(person.input("loaders.0.num_workers")).to_have_value("16")
    expect(person.input("ranks")).to_have_value("4")
    expect(page.locator("#stale")).to_be_hidden()
    assert fragment(page) == "#1;r=4;w=16"


def test_a_presets_page_stands_for_its_preset_and_a_link_on_it_for_itself(
    page: Page, address: str
) -> None:
    person = Person(page)
    person.open(f"{address}p/llm-tokens.html")
    person.wait_until_live()
    person.sees("1 GiB")
    assert fragment(page) == ""
    page.evaluate("location.hash = '#1;w=16'")
    person.sees("16 GiB")
    expect(person.input("ranks")).to_have_value("8")
    page.go_back()
    person.sees("1 GiB")
    expect(page.locator("#preset-llm-tokens")).to_have_attribute("aria-current", "true")
    person.pick("images-8gpu")
    person.sees("8 GiB")
    assert fragment(page) == "#1"


@pytest.mark.parametrize(
    ("broken", "size", "said"),
    [
        ("#1;zzz=3;w=16", "16 GiB", True),
        ("#1;w=99999999999999;r=1", "1 GiB", True),
        ("#1;w=16;t=no-such-platform", "16 GiB", True),
        ("#1;w=%", "8 GiB", True),
        ("#1%3Bw=16", "16 GiB", False),
        ("#1;w=16.", "16 GiB", False),
    ],
)
def test_a_damaged_link_is_read_as_far_as_it_goes_and_says_so(
    person: Person, broken: str, size: str, said: bool
) -> None:
    remarks = person.page.locator("#remarks")
    person.page.evaluate("document.querySelector('#form fieldset').dataset.before = true")
    person.page.evaluate(f"location.hash = {json.dumps(broken)}")
    expect(person.page.locator("[data-before]")).to_have_count(0)
    person.sees(size)
    expect(remarks).to_be_visible(visible=said)
    if said:
        remarks.locator("button").click()
        expect(remarks).to_be_hidden()
    person.types("loaders.0.num_workers", "4")
    expect(person.page.locator("#stale")).to_be_hidden()
    assert fragment(person.page).startswith("#1;")


@pytest.mark.parametrize("unreadable", ["#2;w=16", "#1x;w=16"])
def test_a_link_that_says_nothing_changes_nothing(person: Person, unreadable: str) -> None:
    person.types("loaders.0.num_workers", "4")
    person.sees("4 GiB")
    expect(person.page).to_have_url(re.compile(r"#1;w=4$"))  # so that it is written anew below
    person.page.evaluate(f"location.hash = {json.dumps(unreadable)}")
    expect(person.page.locator("#remarks")).to_contain_text("left out")
    expect(person.page).to_have_url(re.compile(r"#1;w=4$"))
    expect(person.input("loaders.0.num_workers")).to_have_value("4")
    person.sees("4 GiB")
    person.page.locator("#remarks-close").click()


def test_what_was_done_stands_in_the_address_and_back_and_forward_walk_through_it(
    person: Person,
) -> None:
    page = person.page
    assert fragment(page) == ""
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    assert fragment(page) == "#1;w=16"
    person.pick("llm-tokens")
    person.sees("1 GiB")
    preset = fragment(page)
    person.types("ranks", "2")
    expect(page.locator('[data-preset][aria-current="true"]')).to_have_count(0)
    typed = fragment(page)
    assert len({"#1;w=16", preset, typed}) == 3
    page.go_back()
    person.sees("16 GiB")
    expect(person.input("loaders.0.num_workers")).to_have_value("16")
    assert fragment(page) == "#1;w=16"
    page.go_forward()
    expect(person.input("ranks")).to_have_value("2")
    assert fragment(page) == typed
    person.types("ranks", "8")
    expect(page.locator("#preset-llm-tokens")).to_have_attribute("aria-current", "true")
    assert fragment(page) == preset


def test_a_platform_stands_in_the_address_too(person: Person) -> None:
    person.finds("compose")
    assert fragment(person.page) == "#1;t=compose"
    person.finds("docker-run")
    assert fragment(person.page) == ""


def test_a_reload_keeps_what_was_typed(person: Person) -> None:
    person.types("loaders.0.num_workers", "16")
    person.finds("compose")
    fragment(person.page)
    person.page.reload()
    person.wait_until_live()
    person.sees("16 GiB")
    expect(person.page.locator("#chosen .title")).to_have_text("Compose")


def test_a_link_within_the_page_leads_there_and_leaves_the_state(person: Person) -> None:
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    before = fragment(person.page)
    link = person.page.locator(".contents a[href='#errors']")
    link.click()
    expect(person.page.locator("#errors")).to_be_in_viewport()
    assert person.focus() == "errors"
    assert fragment(person.page) == before == "#1;w=16"
    assert person.page.evaluate("element => element.href", link.element_handle()).endswith(
        "#errors"
    )


@pytest.mark.parametrize(("anchor", "platform"), [("errors", None), ("block-compose", "compose")])
def test_an_anchor_is_no_state(page: Page, address: str, anchor: str, platform: str | None) -> None:
    held(page, "**/pyodide.asm.wasm")
    page.goto(f"{address}#{anchor}")
    expect(page.locator("#copy-link")).to_be_visible()
    expect(page.locator("#stale")).to_be_hidden()
    expect(page.locator("#remarks")).to_be_hidden()
    if platform is None:
        expect(page.locator(f"#{anchor}")).to_be_in_viewport()
    else:
        expect(page.locator("#chosen pre")).to_contain_text("shm_size: 8g")
    assert fragment(page) == f"#{anchor}"


# ---------------------------------------------------------------- copies


def test_the_link_is_copied_whole(person: Person, address: str) -> None:
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    person.page.locator("#copy-link").click()
    expect(person.page.locator("#copy-link")).to_contain_text("Copied")
    expect(person.page.locator("#say")).to_have_text("Copied")
    assert person.page.evaluate("navigator.clipboard.readText()") == f"{address}#1;w=16"


def test_without_a_clipboard_the_link_is_shown_selected(person: Person, address: str) -> None:
    person.page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
    )
    person.page.locator("#copy-link").click()
    field = person.page.locator("#link-text")
    expect(field).to_be_visible()
    expect(field).to_have_value(address)
    assert person.page.evaluate("String(getSelection())") == address
    person.page.evaluate("() => { delete navigator.clipboard.writeText; }")
    person.page.locator("#copy-link").click()
    expect(field).to_be_hidden()


def test_the_json_is_the_command_lines(person: Person, capsys: pytest.CaptureFixture[str]) -> None:
    person.types("loaders.0.num_workers", "16")
    person.types("headroom", "100 %")
    person.sees("24 GiB")
    person.page.locator("#copy-json").click()
    expect(person.page.locator("#copy-json")).to_contain_text("Copied")
    command_line.main(
        ["size", "--json", "--set", "loaders.0.num_workers=16", "--set", "headroom=1"]
    )
    wanted = capsys.readouterr().out
    assert person.page.evaluate("navigator.clipboard.readText()") == wanted
    assert len(json.loads(wanted)["targets"]) > 50


# ---------------------------------------------------------------- undo


def paste(person: Person) -> None:
    """Paste some code."""
    person.page.locator("#paste").fill("loader = DataLoader(data, batch_size=16, num_workers=4)\n")
    expect(person.input("loaders.0.batch_size")).to_have_value("16")


def add_and_remove(person: Person) -> None:
    """Remove a field."""
    person.page.locator("#loaders-0-fields-0-remove").click()


CHANGES: dict[str, tuple[Callable[[Person], None], str]] = {
    "a preset": (lambda person: person.pick("medical-3d"), "Undo: 3D medical volumes, 4 GPUs"),
    "a fix": (
        lambda person: person.page.locator("#fix-wide_images").click(), "Undo: Use uint8: 2 GiB",
    ),
    "a new field": (
        lambda person: person.page.locator("#loaders-0-fields-add").click(), "Undo: Add a field",
    ),
    "a removed field": (add_and_remove, "Undo: Remove image"),
    "a paste": (paste, "Undo: what the text says"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHANGES)
def test_undo_brings_back_the_form_and_forward_what_was_undone(person: Person, kind: str) -> None:
    change, name = CHANGES[kind]
    page = person.page
    page.locator("#loaders-0-fields-add").click()
    person.types("loaders.0.fields.1.name", "mine")
    person.types("loaders.0.num_workers", "7")
    expect(page.locator("#stale")).to_be_hidden()
    fragment(page)
    before = form_of(page)
    change(person)
    undo = page.locator("#undo")
    expect(undo).to_have_accessible_name(name)
    person.types("ranks", "3")
    expect(page.locator("#stale")).to_be_hidden()
    fragment(page)
    after = form_of(page)
    assert after != before
    undo.focus()
    page.keyboard.press("Enter")
    expect(person.input("ranks")).to_have_value("8")
    expect(page.locator("#say")).to_contain_text("Undone")
    assert form_of(page) == before
    assert person.focus() == "undo"
    page.go_forward()
    expect(person.input("ranks")).to_have_value("3")
    assert form_of(page) == after


def test_after_the_first_change_is_undone_the_answer_has_the_focus(person: Person) -> None:
    person.page.evaluate("history.replaceState(null, '', location.pathname)")
    person.page.locator("#fix-wide_images").click()
    person.sees("2 GiB")
    person.page.locator("#undo").click()
    person.sees("8 GiB")
    expect(person.page.locator("#undo")).to_be_disabled()
    assert person.focus() == "answer"


def test_taking_a_text_back_is_undone_with_what_was_typed_since(person: Person) -> None:
    before = form_of(person.page)
    paste(person)
    person.types("ranks", "3")
    expect(person.page.locator("#stale")).to_be_hidden()
    fragment(person.page)
    typed = form_of(person.page)
    person.page.locator("#paste-result .undo").click()
    expect(person.input("ranks")).to_have_value("8")
    assert form_of(person.page) == before
    expect(person.page.locator("#paste-result .taken-back")).to_contain_text("Undo brings")
    person.page.locator("#undo").click()
    expect(person.input("ranks")).to_have_value("3")
    assert form_of(person.page) == typed
    person.page.locator("#paste-result .clear").click()


# ---------------------------------------------------------------- the last workload


@pytest.fixture
def visitor(browser: Browser, address: str) -> Person:
    """Return somebody whose browser remembers 16 workers and Compose."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    person = Person(context.new_page())
    person.open(address)
    expect(person.page.locator("#last-place")).to_be_hidden()
    person.wait_until_live()
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    person.pick("llm-tokens")
    person.sees("1 GiB")
    assert person.page.evaluate("localStorage.getItem('shm-sizer-last')") == "1;w=16"
    person.page.goto("about:blank")
    return person


def test_the_last_workload_is_offered_taken_and_forgotten(visitor: Person, address: str) -> None:
    page = visitor.page
    visitor.open(address)
    chip = page.locator("#last")
    expect(chip).to_have_text("Your last workload")
    visitor.wait_until_live()
    visitor.sees("8 GiB")
    chip.click()
    visitor.sees("16 GiB")
    expect(page.locator("#undo")).to_have_accessible_name("Undo: Your last workload")
    page.locator("#last-forget").click()
    expect(page.locator("#last-place")).to_be_hidden()
    assert visitor.focus() == "preset-images-8gpu"
    assert page.evaluate("localStorage.getItem('shm-sizer-last')") is None
    visitor.open("about:blank")
    visitor.open(address)
    expect(page.locator("#copy-link")).to_be_visible()
    expect(chip).to_be_hidden()
    assert visitor.complaints == []
    page.context.close()


def test_where_nothing_may_be_stored_the_page_works(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(
        """Object.defineProperty(window, "localStorage",
          { get() { throw new DOMException("denied", "SecurityError"); } });"""
    )
    person = Person(context.new_page())
    person.open(address)
    person.wait_until_live()
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    expect(person.page.locator("#last-place")).to_be_hidden()
    assert person.complaints == []
    context.close()


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("docker-run", "train.sh"),
        ("compose", "compose.yaml"),
        ("kubernetes-pod", "pod.yaml"),
        ("kustomize-component", "kustomization.yaml"),
    ],
)
def test_a_block_is_saved_under_its_own_name(person: Person, target: str, name: str) -> None:
    person.types("deployment.image", "mine:2")
    person.finds(target)
    wanted = person.engines_block(target, {"deployment.image": "mine:2"})
    expect(person.page.locator("#chosen pre")).to_have_text(wanted)
    save = person.page.locator("#chosen .save")
    with person.page.expect_download() as download:
        save.click()
    assert download.value.suggested_filename == name
    assert Path(download.value.path()).read_text(encoding="utf-8") == wanted
    expect(save).to_contain_text("Saved")
    expect(person.page.locator("#say")).to_have_text("Saved")


def test_what_is_taken_from_an_earlier_answer_says_so(person: Person) -> None:
    before = person.block()
    person.types("ranks", "many")
    expect(person.page.locator("#stale")).to_be_visible()
    for button, words in [(".copy", "Copied the earlier answer"), (".save", "Saved the earlier")]:
        person.page.locator(f"#chosen {button}").click()
        expect(person.page.locator(f"#chosen {button}")).to_contain_text(words)
    assert person.page.evaluate("navigator.clipboard.readText()") == before


# ---------------------------------------------------------------- what has changed


def test_changed_lines_are_marked_for_a_moment(person: Person) -> None:
    marked = person.page.locator("#chosen .changed")
    expect(marked).to_have_count(0)
    person.types("loaders.0.num_workers", "16")
    expect(marked).to_have_count(1)
    expect(marked).to_have_text("  --shm-size=16g \\")
    person.types("loaders.0.num_workers", "17")
    block = person.page.locator("#chosen pre")
    expect(block).to_contain_text("w=17")
    assert person.block() == person.engines_block("docker-run", {"loaders.0.num_workers": "17"})
    expect(marked).to_have_count(0, timeout=4000)
    assert person.block() == person.engines_block("docker-run", {"loaders.0.num_workers": "17"})


def test_another_platform_is_no_change(person: Person) -> None:
    person.finds("compose")
    expect(person.page.locator("#chosen pre")).to_contain_text("shm_size: 8g")
    expect(person.page.locator("#chosen .changed")).to_have_count(0)


# ---------------------------------------------------------------- and all the while


def test_nothing_was_asked_elsewhere_and_nothing_complained(person: Person, address: str) -> None:
    assert [url for url in person.requests if not url.startswith((address, "blob:"))] == []
    assert person.complaints == []
