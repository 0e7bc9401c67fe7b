"""A page that explains the API, written from its own description; it loads nothing from anywhere."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: CanvasText; background: Canvas; color-scheme: light dark; }
code { font-size: 0.95em; } details { border: 1px solid GrayText; border-radius: 6px; margin: .5rem 0; padding: .5rem; }
summary { cursor: pointer; } table { border-collapse: collapse; }
td, th { text-align: left; padding: .2rem .8rem .2rem 0;
vertical-align: top; }
"""


def add_page(app: FastAPI) -> None:
    """Add the page beside the description of the API."""
    address = (app.openapi_url or "/openapi.json").rsplit("/", 1)[0] + "/docs"

    @app.get(address, response_class=HTMLResponse, include_in_schema=False)
    def page() -> str:
        return render(app.openapi(), app.openapi_url or "")


def render(schema: dict[str, Any], address: str) -> str:
    """Return the page of a description in OpenAPI."""
    operations = "".join(
        _operation(path, method, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    models = "".join(_model(name, model) for name, model in schema.get("components", {}).get("schemas", {}).items())
    title = escape(schema["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: API</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body><main>'
        f"<h1>{title} {escape(schema['info']['version'])}: API</h1>"
        f'<p>The same in OpenAPI: <a href="{escape(address)}">{escape(address)}</a>. Events of jobs come over a '
        "WebSocket at <code>/api/v1/events</code>, with <code>?job=ID</code> those of one job.</p>"
        f"<h2>Calls</h2>{operations}<h2>Records</h2>{models}</main></body></html>"
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    parameters = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{escape(one['in'])}</td>"
        f"<td>{escape(_kind(one.get('schema', {})))}</td><td>{escape(one.get('description', ''))}</td></tr>"
        for one in operation.get("parameters", [])
    )
    body = operation.get("requestBody", {}).get("content", {})
    takes = "".join(
        f"<p>Body: {escape(_kind(one.get('schema', {})))}, {escape(kind)}</p>" for kind, one in body.items()
    )
    gives = "".join(
        f"<p>{escape(status)}: {escape(_kind(one.get('schema', {})))}</p>"
        for status, answer in operation.get("responses", {}).items()
        for one in answer.get("content", {}).values()
    )
    return (
        f"<details><summary><code>{method.upper()} {escape(path)}</code> "
        f"{escape(operation.get('summary', ''))}</summary><p>{escape(operation.get('description', ''))}</p>"
        f"<table>{parameters}</table>{takes}{gives}</details>"
    )


def _model(name: str, model: dict[str, Any]) -> str:
    needed = model.get("required", [])
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code>{'' if field in needed else ' (optional)'}</td>"
        f"<td>{escape(_kind(one))}</td><td>{escape(one.get('description', ''))}</td></tr>"
        for field, one in model.get("properties", {}).items()
    )
    return (
        f"<details id='{escape(name)}'><summary><code>{escape(name)}</code></summary>"
        f"<p>{escape(model.get('description', ''))}</p><table>{rows}</table></details>"
    )


def _kind(schema: dict[str, Any]) -> str:
    """Return a type in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(_kind(one) for one in schema[word])
    if "enum" in schema or "const" in schema:
        return ", ".join(str(one) for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "anything"))
