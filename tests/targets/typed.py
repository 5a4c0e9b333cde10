"""What a person may type that no block may break on."""

from __future__ import annotations

import shlex

IMAGE = 'x"; rm -rf / #:$(id) {{ a }} ${{{ b }}} %{if} %n\\'
IMAGES = [IMAGE, "a.example/b/c:1 # '{{ '$' }}' ''"]
ARGV = [
    *("python", "my dir/train.py", "--x=a: b #c", "", ";", "#", "- #", "\\"),
    *("it's", 'it\'s "quoted"', "''", "$(id) `id`", '"$(id)`id`"', "$HOME $$ \\", "$(HOME)", "$$"),
    *("%{if} $$${a}", "%{if} ${b}", "{{ a }} }}", "{{ workflow.name }} ${{{ b }}}"),
    *("${{ github.token }}", "$${{ inputs.a }}", "$$(A)"),
]
HOSTILE = {"image": IMAGE, "command": shlex.join(ARGV)}
EVERY_HOSTILE = [{**HOSTILE, "image": image} for image in IMAGES]
