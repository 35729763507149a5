"""The OpenAPI document is complete, and nothing it allows breaks the server."""

import functools
import io
import json
from contextlib import redirect_stderr
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.urls import get_resolver, reverse
from hypothesis import HealthCheck, Phase, given, settings
from rest_framework.authtoken.models import Token
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance

from parley.wsgi import application
from tests.cast import Cast
from tests.factories import ExportJobFactory, ImportJobFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept_connection():
    """The test's transaction is on the connection that the end of a real request would close."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def test_the_document_is_valid_and_made_without_a_warning(tmp_path):
    said = io.StringIO()
    with redirect_stderr(said):
        call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "schema.yaml"))

    assert "Warning" not in said.getvalue()


@pytest.fixture
def document(client) -> dict:
    return client.get(reverse("api_schema"), headers={"Accept": "application/vnd.oai.openapi+json"}).json()


def test_every_route_of_the_api_is_in_the_document(document):
    prefix = next(each for each in get_resolver().url_patterns if str(each.pattern) == "api/v1/")
    n_routes = sum(
        len(each.url_patterns) for each in get_resolver().url_patterns if str(each.pattern) == str(prefix.pattern)
    )

    assert len(document["paths"]) == n_routes - 1  # without the document itself


def test_every_operation_says_what_a_refusal_looks_like(document):
    for path, operations in document["paths"].items():
        for verb, operation in operations.items():
            content = operation["responses"]["4XX"]["content"]["application/json"]["schema"]
            assert content == {"$ref": "#/components/schemas/Error"}, (verb, path)
            assert operation.get("description") or operation.get("summary"), (verb, path)


@functools.cache
def operations() -> dict[str, Any]:
    """By their names, read once and without a database: the document is made from code."""
    from drf_spectacular.generators import SchemaGenerator
    from drf_spectacular.renderers import OpenApiJsonRenderer

    document = SchemaGenerator().get_schema(request=None, public=True)
    schema = schemathesis.openapi.from_dict(json.loads(OpenApiJsonRenderer().render(document)))
    schema.app = application
    return {each.definition.raw["operationId"]: each for each in (found.ok() for found in schema.get_all_operations())}


@pytest.mark.parametrize("operation_id", operations())
@pytest.mark.parametrize("who", ["owner", "annotator"])
def test_nothing_the_document_allows_breaks_the_server(cast: Cast, kept_connection, operation_id, who):
    job = (ExportJobFactory if operation_id.startswith("exports") else ImportJobFactory)(study=cast.study)
    user = cast.owner if who == "owner" else cast.annotator.user
    headers = {"Authorization": f"Token {Token.objects.create(user=user)}", "Accept-Encoding": "identity"}
    known = {"slug": cast.study.slug, "key": cast.batch.key, "token": str(job.token)}
    operation = operations()[operation_id]

    # Known parameters lead past the 404 that random ones end at.
    @settings(max_examples=15, deadline=None, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=operation.as_strategy())
    def check(case):
        case.path_parameters |= {name: value for name, value in known.items() if name in (case.path_parameters or {})}
        response = case.call(headers=headers)
        case.validate_response(response, checks=[not_a_server_error, response_schema_conformance])

    check()
