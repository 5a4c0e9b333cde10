"""The platform picker: found by group, by typing, by keyboard; the block is the engine's."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from calculator import __main__ as command_line
from calculator import blocks
from tests.browser.person import Person


@pytest.mark.parametrize(
    ("group", "target"),
    [("Docker", "compose"), ("Kubernetes", "kubernetes-pod"), ("Podman", "podman-run")],
)
def test_copied_block_is_the_command_lines(
    person: Person, capsys: pytest.CaptureFixture[str], group: str, target: str
) -> None:
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    person.page.locator(f'[data-group="{group}"]').click()
    person.page.locator(f'[data-target="{target}"]').click()
    expect(person.page.locator("#chosen .title")).to_have_text(blocks.titles()[target])
    copy = person.page.locator("#chosen .copy")
    copy.click()
    expect(copy).to_contain_text("Copied")
    command_line.main(["config", "--target", target, "--set", "loaders.0.num_workers=16"])
    wanted = capsys.readouterr().out
    assert person.page.evaluate("navigator.clipboard.readText()") == wanted
    expect(person.page.locator("#say")).to_have_text("Copied")


def test_without_a_clipboard_the_block_is_selected(person: Person) -> None:
    person.page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
    )
    person.page.locator("#chosen .copy").click()
    expect(person.page.locator("#chosen .copy")).to_contain_text("Selected")
    assert person.page.evaluate("String(getSelection())").strip() == person.block().strip()
    person.page.evaluate("() => { delete navigator.clipboard.writeText; }")


@pytest.mark.parametrize("target", blocks.target_ids())
def test_every_platform_follows_the_input(person: Person, target: str) -> None:
    """Chosen after an edit, the block is that of the edited job."""
    person.types("deployment.image", "mine:2")
    person.finds(target)
    expect(person.page.locator("#chosen .title")).to_have_text(blocks.titles()[target])
    expect(person.page.locator("#chosen")).to_have_attribute("aria-busy", "false")
    assert person.block() == person.engines_block(target, {"deployment.image": "mine:2"})


def test_a_block_shown_elsewhere_follows_too(person: Person) -> None:
    mirror = person.page.locator("[data-mirror='compose']").first
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    mirror.evaluate(
        """each => { for (let fold = each.closest("details"); fold;
          fold = fold.parentElement.closest("details")) fold.open = true; }"""
    )
    expect(mirror.locator("pre")).to_contain_text("shm_size: 16g")
    person.types("loaders.0.num_workers", "4")
    expect(mirror.locator("pre")).to_contain_text("shm_size: 4g")


def test_a_platform_chosen_while_the_input_is_wrong_is_that_of_the_last_good_one(
    person: Person,
) -> None:
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    person.types("loaders.0.batch_size", "-1")
    expect(person.page.locator("#stale")).to_be_visible()
    person.finds("helm")
    expect(person.page.locator("#chosen pre")).to_contain_text("sizeLimit: 16Gi")
    expect(person.page.locator("#stale")).to_be_visible()


def test_platform_is_remembered(person: Person) -> None:
    person.finds("bare-metal")
    assert person.page.evaluate("localStorage.getItem('shm-sizer-platform')") == "bare-metal"
    person.types("loaders.0.num_workers", "4")
    person.sees("4 GiB")
    assert "size=4G" in person.block()
    person.page.reload()
    expect(person.page.locator("#chosen .title")).to_have_text("Bare metal")
    person.wait_until_live()


# ---------------------------------------------------------------- found by typing


def test_typing_shows_only_what_has_every_word(person: Person) -> None:
    person.page.locator("#find").fill("kubernetes pod")
    shown = person.page.locator(".platforms .targets a:visible")
    expect(shown.first).to_be_visible()
    for words in shown.evaluate_all("tabs => tabs.map(tab => tab.dataset.words)"):
        assert "kubernetes" in words
        assert "pod" in words
    expect(person.page.locator(".groups")).to_be_hidden()
    person.page.locator("#find").press("Escape")
    expect(person.page.locator(".groups")).to_be_visible()
    expect(person.page.locator("#find")).to_have_value("")


def test_enter_takes_the_first_and_arrows_walk_through_all_groups(person: Person) -> None:
    find = person.page.locator("#find")
    find.fill("run")
    find.press("Enter")
    expect(person.page.locator("#chosen .title")).to_have_text("docker run")
    find.press("ArrowDown")
    shown = person.page.locator(".platforms .targets a:visible").all_text_contents()
    assert len(shown) > 2
    for title in shown[1:]:
        person.page.keyboard.press("ArrowDown")
        expect(person.page.locator("#chosen .title")).to_have_text(title)
    person.page.keyboard.press("ArrowDown")
    expect(person.page.locator("#chosen .title")).to_have_text(shown[0])


def test_what_nobody_calls_a_platform_is_said_not_to_be_there(person: Person) -> None:
    person.page.locator("#find").fill("zx spectrum")
    expect(person.page.locator("#nothing-found")).to_be_visible()
    expect(person.page.locator(".platforms .targets a:visible")).to_have_count(0)
    assert person.block()
    person.page.locator("#find").fill("")
    expect(person.page.locator("#nothing-found")).to_be_hidden()


def test_a_link_to_a_block_opens_it(person: Person, address: str) -> None:
    person.page.goto(f"{address}#block-helm")
    person.page.reload()
    expect(person.page.locator("#chosen .title")).to_have_text("Helm")
    person.wait_until_live()
