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
    """The quantity with this address or alias, followed through references; raises `CannotRun` (CW0703)."""
    wanted = {address, followed(address, document)}
    for quantity in document.quantities:
        if quantity.address in wanted or wanted.intersection(quantity.aliases):
            return quantity
    raise unknown(address, document)


def followed(address: str, document: PlanDoc) -> str:
    """The address behind references: `prod.sharding.tensor` is `tp4.tensor` where `prod.sharding` refers to `tp4`."""
    refers = {each.address: each.refers for each in document.settings if each.sort == "thing" and each.refers}
    for _ in refers:
        parts = address.split(".")
        found = [i for i in range(len(parts), 0, -1) if ".".join(parts[:i]) in refers]
        if not found:
            break
        address = ".".join([refers[".".join(parts[: found[0]])] or "", *parts[found[0] :]])
    return address
