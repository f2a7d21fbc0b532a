"""The record's JSON Schema (Docs/record.schema.json) as types of Spark's tables."""
import functools
import importlib.resources
import json
import typing

from pyspark.sql import types as t

_SIMPLE: typing.Final[dict[str, t.DataType]] = {
    "string": t.StringType(),
    "integer": t.LongType(),
    "number": t.DoubleType(),
    "boolean": t.BooleanType(),
}


@functools.cache
def _schema() -> dict[str, typing.Any]:
    text = importlib.resources.files("pippin_spark").joinpath("record.schema.json").read_text(encoding="utf-8")
    schema: dict[str, typing.Any] = json.loads(text)
    return schema


@functools.cache
def record_type() -> t.StructType:
    """The type of a record: every field, in the schema's order."""
    found = _type(_schema()["$defs"]["record"])
    assert isinstance(found, t.StructType)
    return found


def _either(types: list[t.DataType]) -> t.DataType:
    """Things of several kinds, such as actions: a struct with the fields of all; those of other kinds are null."""
    fields: dict[str, t.StructField] = {}
    for kind in types:
        if not isinstance(kind, t.StructType):
            raise ValueError(f"record.schema.json: {kind.simpleString()} is one of several types and no object")
        for field in kind:
            if fields.setdefault(field.name, field) != field:
                raise ValueError(f"record.schema.json: {field.name} has several types")
    return t.StructType(list(fields.values()))


def _type(schema: typing.Any) -> t.DataType:
    if "$ref" in schema:
        return _type(_schema()["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    if "oneOf" in schema:
        return _either([_type(part) for part in schema["oneOf"]])
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        return t.StructType([t.StructField(name, _type(part)) for name, part in schema["properties"].items()])
    if kind == "array":
        return t.ArrayType(_type(schema["items"]))
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if values and all(isinstance(value, bool) for value in values):
        return t.BooleanType()
    if values and all(isinstance(value, int) for value in values):
        return t.LongType()
    if values and all(isinstance(value, str) for value in values):
        return t.StringType()
    raise ValueError(f"record.schema.json has a part without a type: {json.dumps(schema)[:200]}")
