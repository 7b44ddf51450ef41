"""Addresses on the command line."""

from __future__ import annotations

from capwright.base.diagnostic import did_you_mean
from capwright.commands.failing import CannotRun
from capwright.document.plandoc import PlanDoc, Quantity


def unknown(address: str, document: PlanDoc) -> CannotRun:
    """The refusal of an address that the plan does not have (CW0703)."""
    public = [quantity.address for quantity in document.quantities if not quantity.internal]
    return CannotRun("CW0703", f"the plan has no quantity `{address}`", did_you_mean(address, public))


def quantity_at(address: str, document: PlanDoc) -> Quantity:
    """The quantity with this address or alias; raises `CannotRun` (CW0703)."""
    for quantity in document.quantities:
        if address == quantity.address or address in quantity.aliases:
            return quantity
    raise unknown(address, document)
