"""SageMaker estimators and training jobs: a platform without a setting for the size.

Source: aws/sagemaker-python-sdk issue 937; API_CreateTrainingJob has no such field.
"""

from __future__ import annotations

import re
from typing import Final

from calculator.readers.config.answer import answer
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import warn
from calculator.readers.reading import Reading

ORDER = 35
_ESTIMATOR: Final = re.compile(
    r"\bsagemaker\b|instance_type\s*=\s*[\"']ml\."
    r"|[\"']?InstanceType[\"']?\s*[:=]\s*[\"']ml\.|AlgorithmSpecification",
    re.IGNORECASE,
)
_LEFT: Final = (
    "Use fewer workers, a smaller prefetch_factor or a smaller batch, or an instance with more "
    "memory: SageMaker gives /dev/shm a share of it."
)


def reads(paste: Paste) -> bool:
    """Whether it is an estimator or a training job of SageMaker."""
    return _ESTIMATOR.search(paste.text[:50_000]) is not None and "import torch\n" not in paste.text


def read(paste: Paste) -> Reading | None:
    """Say that there is no setting, and what is left."""
    said = [warn("platform_unsupported", platform="A SageMaker training job")]
    named = re.search(r"\b(shm_size|shm-size|sharedMemorySize)\b", paste.text)
    if named:
        said.append(warn("unknown_key", key=named[1]))
    instance = re.search(r"ml\.[\w.]{3,30}", paste.text)
    parsed = {"instance_type": instance[0]} if instance else {}
    return answer(paste, [], format="sagemaker", warnings=said, notes=[_LEFT], parsed=parsed)
