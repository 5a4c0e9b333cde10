"""A line without what stands before it."""

import pytest

from calculator.diagnose.lines import clean, strip_colours

TABLE = [
    ("\x1b[31mred\x1b[0m text", "red text", {}),
    ("[rank3]: boom", "boom", {"rank": 3}),
    ("[rank3]:[E508 10:00:11 x.cpp:1] boom", "[E508 10:00:11 x.cpp:1] boom", {"rank": 3}),
    ("[default7]:boom", "boom", {"rank": 7}),
    ("12: boom", "boom", {"rank": 12}),
    ("rank 5: boom", "boom", {"rank": 5}),
    ("[1,3]<stderr>:boom", "boom", {"rank": 3}),
    ("trainer-1  | boom", "boom", {"service": "trainer"}),
    ("trainer-1  | [rank2]: boom", "boom", {"service": "trainer", "rank": 2}),
    ("[pod/w-1/main] 2026-02-11T10:01:09.001Z boom", "boom", {"pod": "w-1", "container": "main"}),
    ("2026-02-11T10:01:09.001Z stderr F boom", "boom", {"time": "2026-02-11T10:01:09.001Z"}),
    ("Jul 01 10:11:40 node-a kernel: boom", "kernel: boom", {"host": "node-a"}),
    ("[ 12.345678] boom", "boom", {"time": "12.345678"}),
    ("(RayTrainWorker pid=19, ip=10.0.0.7) boom", "boom", {"process": "19"}),
    ("(Worker_TP3 pid=19) boom", "boom", {"process": "19", "rank": 3}),
    ("&lt;b&gt; boom &amp; bang&#10;", "<b> boom & bang", {}),
    ('{"log":"boom\\n","stream":"stderr","time":"2026-05-02T12:00:00Z"}', "boom", {}),
    ('{"message":"[rank4]: boom","kubernetes":{"pod_name":"p-0"}}', "boom", {"pod": "p-0"}),
    ('{"textPayload":"boom"},', "boom", {}),
    ('{"msg":"boom","rank":6}', "boom", {"rank": 6}),
    (" 3%|3   | 12/390 [00:09<04:41]", " 3%|3   | 12/390 [00:09<04:41]", {}),
    ("tmpfs  64M  0  64M  0% /dev/shm", "tmpfs  64M  0  64M  0% /dev/shm", {}),
    ("{not json}", "{not json}", {}),
    ("plain\r", "plain", {}),
]


@pytest.mark.parametrize(("raw", "text", "told"), TABLE)
def test_prefixes_are_taken_off_and_remembered(raw, text, told):
    line = next(each for each in clean(1, raw) if each.text)
    assert line.text == text
    assert {key: getattr(line, key) for key in told} == told


def test_a_progress_bar_and_an_escaped_traceback_are_several_messages():
    assert [each.text for each in clean(3, "10%\r20%\rdone")] == ["10%", "20%", "done"]
    assert [each.text for each in clean(3, r"Traceback\n  File x\nKeyError: 1")] == [
        "Traceback",
        "  File x",
        "KeyError: 1",
    ]
    assert {each.number for each in clean(3, "a\rb")} == {3}


def test_text_without_colours_is_left_alone():
    assert strip_colours(r"C:\env\Lib\torch") == r"C:\env\Lib\torch"
