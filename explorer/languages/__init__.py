"""Texts in several languages: catalogues in the format of gettext, and who reads which language."""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.languages.catalogue import (
    Catalogue as Catalogue,
    CatalogueError as CatalogueError,
    Message as Message,
    fault_of as fault_of,
    read_catalogue as read_catalogue,
    read_messages as read_messages,
)
from explorer.languages.texts import (
    COOKIE as COOKIE,
    ENGLISH as ENGLISH,
    PO as PO,
    PSEUDO as PSEUDO,
    best_of as best_of,
    catalogue_of as catalogue_of,
    decimal as decimal,
    in_english as in_english,
    known_language as known_language,
    language as language,
    languages as languages,
    marked as marked,
    number_with_unit as number_with_unit,
    percent_of as percent_of,
    speaking as speaking,
    tr as tr,
    trn as trn,
)

__all__, __getattr__, __dir__ = exported(__name__)
