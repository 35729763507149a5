"""Describe the errors of every operation in the OpenAPI document of the API."""

from typing import Any

ERROR = {
    "type": "object",
    "description": "Every refusal has this shape. Some codes come with more facts beside these.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "For programs, for example invalid or lease_expired."},
                "message": {"type": "string", "description": "For people: what is wrong and what to do."},
                "fields": {"type": "object", "additionalProperties": {}, "description": "Sentences by field."},
            },
            "required": ["code", "message", "fields"],
        }
    },
    "required": ["error"],
}
CONTENT = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}


def describe_errors(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Add one component for errors, to which each operation refers. This is a hook of drf-spectacular."""
    schemas = result["components"]["schemas"]
    schemas["Error"] = ERROR
    for schema in schemas.values():
        if "oneOf" in schema and "discriminator" not in schema:  # shapes may overlap: more than one may fit
            schema["anyOf"] = schema.pop("oneOf")
    for operations in result["paths"].values():
        for operation in operations.values():
            for code, response in operation["responses"].items():
                if code.startswith("4"):
                    response.setdefault("content", CONTENT)
            operation["responses"]["4XX"] = {"description": "Refused; the code says why.", "content": CONTENT}
    return result
