"""The main job on the live page: pick, edit, read, copy."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from calculator import presets, report
from calculator.units import size
from tests.browser.person import Person

SIZES = {
    "images-8gpu": "8 GiB",
    "resnet50-imagenet": "2 GiB",
    "vision-language-8gpu": "16 GiB",
    "medical-3d": "8 GiB",
    "video-diffusion": "16 GiB",
    "llm-tokens": "1 GiB",
}


@pytest.mark.parametrize("preset", SIZES)
def test_preset_gives_the_engines_size(person: Person, preset: str) -> None:
    found = report.build(presets.load(preset).workload)
    person.pick(preset)
    person.sees(SIZES[preset])
    assert size(found.shm.recommended_bytes) == SIZES[preset]
    expect(person.page.locator("#answer")).to_contain_text(found.risk.title)
    expect(person.page.locator("#answer")).to_contain_text(size(found.shm.need_bytes))
    assert found.targets[0].text == person.block()
    expect(person.input("loaders.0.batch_size")).to_have_value(
        str(presets.load(preset).workload.loaders[0].batch_size)
    )


def test_every_edit_is_answered(person: Person) -> None:
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    assert "--shm-size=16g" in person.block()
    person.types("ranks", "1")
    person.sees("2 GiB")
    expect(person.page.locator('[data-preset][aria-current="true"]')).to_have_count(0)


def test_what_the_samples_leave_open_is_a_range(person: Person) -> None:
    answer = person.page.locator("#answer")
    expect(answer).not_to_contain_text("lies between")
    path = "loaders.0.fields.0.sizes"
    person.types(path, "1, 3")
    expect(answer).to_contain_text("lies between")
    expect(answer).to_contain_text("depends on which samples are in flight together")


def test_focus_and_caret_stay_while_typing(person: Person) -> None:
    shape = person.input("loaders.0.fields.0.shape")
    shape.click()
    shape.evaluate("element => element.setSelectionRange(6, 6)")
    person.page.keyboard.type("4", delay=120)
    person.sees("64 GiB")
    assert person.focus() == "loaders-0-fields-0-shape"
    assert shape.input_value() == "3, 2244, 224"
    assert shape.evaluate("element => element.selectionStart") == 7


def test_newest_input_wins(person: Person) -> None:
    batch = person.input("loaders.0.batch_size")
    batch.evaluate(
        """element => { for (const text of ["1", "12", "128", "1280", "32"]) {
          element.value = text;
          element.dispatchEvent(new Event("input", { bubbles: true }));
        } }"""
    )
    person.sees("4 GiB")
    person.page.wait_for_timeout(300)
    person.sees("4 GiB")


def test_enter_does_not_leave_the_page(person: Person) -> None:
    before = person.page.url
    person.input("ranks").press("Enter")
    person.page.wait_for_timeout(200)
    assert person.page.url == before


# ---------------------------------------------------------------- structure


def test_label_is_added_and_removed(person: Person) -> None:
    person.page.locator("#loaders-0-fields-add").click()
    expect(person.input("loaders.0.fields.1.kind")).to_have_value("int")
    assert person.focus() == "loaders-0-fields-1-name"
    expect(person.input("loaders.0.fields.1.shape")).to_have_count(0)
    person.input("loaders.0.fields.1.kind").select_option("tensor")
    expect(person.input("loaders.0.fields.1.shape")).to_have_value("3, 224, 224")
    person.sees("16 GiB")
    person.page.locator("#loaders-0-fields-1-remove").click()
    expect(person.input("loaders.0.fields.1.name")).to_have_count(0)
    person.sees("8 GiB")


def test_first_field_removed_leaves_the_second(person: Person) -> None:
    person.page.locator("#loaders-0-fields-add").click()
    person.types("loaders.0.fields.1.name", "target")
    person.page.locator("#loaders-0-fields-0-remove").click()
    expect(person.input("loaders.0.fields.0.name")).to_have_value("target")
    person.sees("1 GiB")


def test_validation_loader_is_added_and_removed(person: Person) -> None:
    more = person.page.locator("#more")
    if not more.evaluate("element => element.open"):
        more.locator("summary").first.click()
    person.page.locator("#add-loader").click()
    expect(person.input("loaders.1.num_workers")).to_have_value("8")
    assert person.focus() == "loaders-1-batch-size"
    person.input("schedule").select_option("interleaved")
    person.sees("16 GiB")
    person.page.locator("#loaders-1-remove").click()
    expect(person.input("loaders.1.num_workers")).to_have_count(0)
    person.sees("8 GiB")


def test_what_was_typed_just_before_a_change_is_kept(person: Person) -> None:
    person.page.evaluate(
        """() => {
          const workers = document.getElementById("loaders-0-num-workers");
          workers.value = "16";
          workers.dispatchEvent(new Event("input", { bubbles: true }));
          document.getElementById("loaders-0-fields-add").click();
        }"""
    )
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    expect(person.input("loaders.0.num_workers")).to_have_value("16")
    person.sees("16 GiB")


TYPE_16_WORKERS = """{
  const workers = document.getElementById("loaders-0-num-workers");
  workers.value = "16";
  workers.dispatchEvent(new Event("input", { bubbles: true }));
}"""


@pytest.mark.parametrize("button", ["preset-images-8gpu", "loaders-0-fields-add"])
def test_what_is_typed_while_a_change_is_on_its_way_is_kept(person: Person, button: str) -> None:
    click = f'document.getElementById("{button}").click();'
    person.page.evaluate(f"() => {{ {click} {TYPE_16_WORKERS} }}")
    person.sees("16 GiB")
    expect(person.input("loaders.0.num_workers")).to_have_value("16")


def test_what_is_typed_while_a_field_is_removed_lands_nowhere_else(person: Person) -> None:
    person.page.locator("#loaders-0-fields-add").click()
    person.types("loaders.0.fields.1.name", "target")
    person.page.evaluate(
        """() => {
          document.getElementById("loaders-0-fields-0-remove").click();
          const name = document.getElementById("loaders-0-fields-0-name");
          name.value = "gone";
          name.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    person.sees("1 GiB")
    expect(person.input("loaders.0.fields.0.name")).to_have_value("target")


def test_a_double_click_removes_one_field(person: Person) -> None:
    for position in (1, 2, 3):
        person.page.locator("#loaders-0-fields-add").click()
        expect(person.input(f"loaders.0.fields.{position}.name")).to_have_count(1)
    person.page.locator("#loaders-0-fields-1-remove").dblclick()
    expect(person.input("loaders.0.fields.3.name")).to_have_count(0)
    person.page.wait_for_timeout(200)
    expect(person.input("loaders.0.fields.2.name")).to_have_count(1)


def test_a_mistake_stands_until_it_is_mended_whatever_changes_around_it(person: Person) -> None:
    person.types("loaders.0.batch_size", "0")
    wrong = person.input("loaders.0.batch_size")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    person.page.locator("#loaders-0-fields-add").click()
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    expect(wrong).to_have_value("0")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    wrong.fill("64")
    person.sees("8 GiB")


# ---------------------------------------------------------------- mistakes and fixes


def test_mistake_is_said_at_its_input_and_the_last_answer_stays(person: Person) -> None:
    workers = person.input("loaders.0.num_workers")
    error = person.page.locator("#loaders-0-num-workers-error")
    person.types("loaders.0.num_workers", "-1")
    expect(error).to_have_text("Must be at least 0.")
    expect(workers).to_have_attribute("aria-invalid", "true")
    assert "loaders-0-num-workers-error" in (workers.get_attribute("aria-describedby") or "")
    expect(person.page.locator("#stale")).to_be_visible()
    expect(person.page.locator("#recommended")).to_have_text("8 GiB")
    person.types("loaders.0.num_workers", "4")
    person.sees("4 GiB")
    expect(error).to_have_text("")
    expect(workers).not_to_have_attribute("aria-invalid", "true")


def test_two_mistakes_are_said_at_once(person: Person) -> None:
    person.types("ranks", "")
    person.types("current_shm", "lots")
    expect(person.page.locator("#ranks-error")).not_to_be_empty()
    expect(person.page.locator("#current-shm-error")).not_to_be_empty()


def test_mistake_in_a_folded_part_unfolds_it(person: Person) -> None:
    person.page.evaluate("document.getElementById('more-memory').open = false")
    headroom = person.input("headroom")
    headroom.evaluate(
        """element => { element.value = "much";
        element.dispatchEvent(new Event("input", { bubbles: true })); }"""
    )
    expect(person.page.locator("#headroom-error")).to_be_visible()


def test_total_beyond_every_machine_is_said_under_the_form(person: Person) -> None:
    person.types("loaders.0.fields.0.shape", "999999999, 999999999")
    expect(person.page.locator("#form-error")).not_to_be_empty()
    person.types("loaders.0.fields.0.shape", "3, 224, 224")
    expect(person.page.locator("#form-error")).to_be_empty()
    person.sees("8 GiB")


def test_fix_says_what_it_gives_and_gives_it(person: Person) -> None:
    fix = person.page.locator("#fix-wide_images")
    expect(fix).to_contain_text("2 GiB")
    fix.click()
    person.sees("2 GiB")
    expect(person.input("loaders.0.fields.0.dtype")).to_have_value("uint8")
    expect(fix).to_have_count(0)
    assert person.focus() == "notices-title"


def test_risk_follows_the_size_there_is(person: Person) -> None:
    badge = person.page.locator(".badge")
    for there_is, level in {"5500m": "high", "6g": "safe", "5700m": "borderline"}.items():
        person.types("current_shm", there_is)
        expect(badge).to_have_class(f"badge level-{level}")


def test_one_short_sentence_is_read_aloud(person: Person) -> None:
    person.pick("llm-tokens")
    expect(person.page.locator("#say")).to_have_text(
        "1 GiB of /dev/shm. Critical: it will not survive."
    )


def test_another_loader_is_like_the_first_as_it_stands(person: Person) -> None:
    """What was typed a moment ago is in it too."""
    person.page.locator("#more").evaluate("fold => { fold.open = true; }")
    person.types("loaders.0.fields.0.shape", "3, 32, 48")
    person.page.locator("#add-loader").click()
    expect(person.input("loaders.1.fields.0.shape")).to_have_value("3, 32, 48")
    expect(person.input("loaders.1.batch_size")).to_have_value("64")


# ---------------------------------------------------------------- by keyboard


def test_keyboard_alone_does_the_main_job(person: Person) -> None:
    keyboard = person.page.keyboard
    person.page.locator(".brand").focus()
    presses_until(person, "Tab", "preset-medical-3d")
    keyboard.press("Enter")
    expect(person.input("loaders.0.fields.0.name")).to_have_value("volume")
    presses_until(person, "Tab", "loaders-0-num-workers")
    keyboard.press("ArrowUp")
    expect(person.input("loaders.0.num_workers")).to_have_value("5")
    person.page.locator('.groups [tabindex="0"]').focus()
    keyboard.press("Home")
    for _ in ("CI", "Podman", "Kubernetes"):
        keyboard.press("ArrowRight")
    expect(person.page.locator("#chosen .title")).to_have_text("Kubernetes Pod")
    keyboard.press("Tab")
    keyboard.press("ArrowRight")
    expect(person.page.locator("#chosen .title")).to_have_text("Kubernetes Job")
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(person.page.locator("#chosen .copy")).to_contain_text("Copied")
    assert person.page.evaluate("navigator.clipboard.readText()") == person.block()


def presses_until(person: Person, key: str, wanted: str) -> None:
    """Press a key until the focus is where it is wanted."""
    for _ in range(60):
        person.page.keyboard.press(key)
        if person.focus() == wanted:
            return
    pytest.fail(f"{key} does not lead to {wanted}")


# ---------------------------------------------------------------- and all the while


def test_nothing_was_asked_elsewhere_and_nothing_complained(person: Person, address: str) -> None:
    assert person.requests
    assert [url for url in person.requests if not url.startswith(address)] == []
    assert person.complaints == []
