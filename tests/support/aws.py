"""Amazon's own description of its requests, as its Python library carries it; nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from botocore.model import ListShape, MapShape, ServiceModel, Shape, StructureShape
from botocore.session import Session
from botocore.validate import ParamValidator


def errors(service: str, operation: str, request: dict[str, Any]) -> list[str]:
    """Return what is wrong with a request, such as ECS's RegisterTaskDefinition.

    Unknown keys, missing keys, wrong types and values that an enumeration does not list.
    """
    shape = model(service).operation_model(operation).input_shape
    report = ParamValidator().validate(request, shape)
    if report.has_errors():
        return [line for line in report.generate_report().splitlines() if line]
    return list(unlisted(request, shape, operation))


@cache
def model(service: str) -> ServiceModel:
    """Return the description of a service, such as ecs or batch."""
    return ServiceModel(Session().get_service_data(service), service)


def unlisted(value: Any, shape: Shape, where: str) -> Iterator[str]:
    """Yield the texts that are none of those that the shape lists."""
    if isinstance(shape, StructureShape):
        for name, part in value.items():
            yield from unlisted(part, shape.members[name], f"{where}.{name}")
    elif isinstance(shape, ListShape):
        for number, part in enumerate(value):
            yield from unlisted(part, shape.member, f"{where}[{number}]")
    elif isinstance(shape, MapShape):
        for name, part in value.items():
            yield from unlisted(part, shape.value, f"{where}.{name}")
    elif (listed := getattr(shape, "enum", [])) and value not in listed:
        yield f"{where}: {value!r} is none of {', '.join(listed)}"
