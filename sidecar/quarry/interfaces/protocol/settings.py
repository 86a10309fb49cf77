"""What a user can set for a vault."""

from typing import Annotated

import msgspec

from quarry.interfaces.protocol.base import Doc, Params, Value
from quarry.interfaces.protocol.query_params import Fusion


class Settings(Value, frozen=True, kw_only=True):
    """The vault's settings, as `.quarry.toml` at its root gives them, or the defaults."""

    include_folders: Annotated[list[str], Doc(description="When given, only these folders are indexed.")]
    exclude_folders: list[str]
    model: Annotated[str, Doc(description='"bundled", a local folder, or a Hugging Face name.')]
    skip_sections: Annotated[list[str], Doc(description="Headings whose sections are left out of chunks.")]
    lexical_weight: float
    dense_weight: float
    fusion: Annotated[Fusion, Doc(description="How the retrievers' answers become one ranking.")]


class SettingsWriteParams(Params, frozen=True, kw_only=True):
    """Only what is given changes; comments in `.quarry.toml` stay."""

    include_folders: list[str] | msgspec.UnsetType = msgspec.UNSET
    exclude_folders: list[str] | msgspec.UnsetType = msgspec.UNSET
    model: str | msgspec.UnsetType = msgspec.UNSET
    skip_sections: list[str] | msgspec.UnsetType = msgspec.UNSET
    lexical_weight: Annotated[float, Doc(ge=0, le=100)] | msgspec.UnsetType = msgspec.UNSET
    dense_weight: Annotated[float, Doc(ge=0, le=100)] | msgspec.UnsetType = msgspec.UNSET
    fusion: Fusion | msgspec.UnsetType = msgspec.UNSET
