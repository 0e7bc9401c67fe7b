"""Bodies that routes check themselves, in their threads: FastAPI would check them in the event loop, which serves all.

To check a spot takes seconds at worst.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar, get_args

from fastapi.exceptions import RequestValidationError
from pydantic import GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, core_schema

Model = TypeVar("Model")


class Unread(Generic[Model]):
    """A body as it came, described in OpenAPI as the model that `read` makes of it."""

    def __init__(self, body: Any, model: Any) -> None:
        self._body, self._model = body, model

    def read(self) -> Model:
        """Return the checked body; refused as FastAPI refuses one."""
        try:
            found: Model = TypeAdapter(self._model).validate_python(self._body)
        except ValidationError as error:
            raise RequestValidationError(error.errors(include_url=False)) from None
        return found

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        (model,) = get_args(source)
        return core_schema.no_info_wrap_validator_function(lambda body, _: cls(body, model), handler(model))
