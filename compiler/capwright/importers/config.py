"""A model's `config.json` as plan text: every field with the key it comes from, or the code that decides it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from capwright.base.diagnostic import Severity
from capwright.base.source import Span
from capwright.importers.choosing import choose, say_without_decoder
from capwright.importers.config_keys import Config
from capwright.importers.contract import Beside, Diagnostics
from capwright.importers.contradictions import check_contradictions
from capwright.importers.descriptions import Description, Refusal, library
from capwright.importers.dtypes import model_dtype
from capwright.importers.facts import Facts, Said
from capwright.importers.formulas import Unfit
from capwright.importers.json_places import Path, place
from capwright.importers.layer_cover import check_cover
from capwright.importers.model_text import model_text
from capwright.importers.module_names import Endless
from capwright.importers.plan_terms import Writer
from capwright.importers.quantisation import read_quantisation
from capwright.importers.quantisation_checks import check_quantisation
from capwright.importers.quantisation_claims import warn_of_claim
from capwright.importers.strict_json import read_json
from capwright.importers.words import quoted

NOTHING: Final = Beside()
_NAMED: Final = re.compile(r"\{(\w+)\}")
"""A field whose value stands in a message of a description."""


def read_config(
    data: bytes, shown_path: str, name: str, beside: Beside = NOTHING
) -> tuple[str | None, Diagnostics]:
    """Plan text of the bytes of a `config.json`; spans are places in the file."""
    value, found = read_json(data, shown_path)
    if any(each.severity == "error" for each in found):
        return None, found
    if not isinstance(value, dict):
        config = Config({}, shown_path, lambda path: Span(shown_path, 0, 0))
        config.say("CW0619", (), "the file holds no object of keys", "name a model's `config.json`")
        return None, tuple(config.diagnostics)
    text = data.decode("utf-8")
    plan, more = import_config(value, shown_path, name, lambda path: place(shown_path, text, path), beside)
    places = {each.span for each in more}
    return plan, (*(each for each in found if each.span not in places), *more)


def import_config(
    data: Mapping[str, Any],
    shown_path: str,
    name: str,
    locate: Callable[[Path], Span] | None = None,
    beside: Beside = NOTHING,
) -> tuple[str | None, Diagnostics]:
    """Plan text that declares `model NAME` as the config describes it, or None with the reasons; never raises.

    Every field carries `key "PATH#/pointer"`, or `source "…"` where the model's code decides. `locate` finds the
    span of a value by its path in the file; without it every message stands at the file's start.
    """
    config = Config(data, shown_path, locate or (lambda path: Span(shown_path, 0, 0)))
    description = choose(config, library(), _own(beside))
    text = _text(config, description, name, beside) if description is not None else None
    return None if config.failed() else text, tuple(config.diagnostics)


def _own(beside: Beside) -> tuple[str, str] | None:
    if "architecture" not in beside.files:
        return None
    shown, data = beside.files["architecture"]
    return shown, data.decode("utf-8", "replace")


def _text(config: Config, description: Description, name: str, beside: Beside) -> str | None:
    config.code = description.code
    facts = Facts(description, config)
    try:
        _read_all(facts)
        _blame_the_decoder(config, description)
        if config.failed():
            return None
        _refuse(facts)
        if config.failed():
            return None
        _warn_of_unread(facts)
        check_contradictions(config, description)
        if config.failed():
            return None
        dtype = str(facts.of("dtype").value)
        quantisation = read_quantisation(config, dtype, description, beside.files.get("quantisation"))
        warn_of_claim(config, dtype, beside="quantisation" in beside.files)
        writer = Writer(description, facts, quantisation)
        plan = model_text(
            writer, name, f"{description.title}, as its config and {description.code} describe it."
        )
        check_cover(facts)
        check_quantisation(writer)
        return plan
    except Said:
        return None
    except Endless:
        message = "the quantisation lists more patterns of modules than are tried on the names of a model"
        config.say("CW0690", (), message, "name the modules, each as it stands in the checkpoint")
        return None
    except Unfit as unfit:
        _say_unfit(facts, unfit)
        return None


def _refuse(facts: Facts) -> None:
    """Messages of the conditions that the description refuses or warns of.

    A condition may have no answer because of what another one refuses; only where none does is that a fault.
    """
    faults: list[Unfit] = []
    for each in facts.description.refusals:
        try:
            if facts.truth(each.when):
                _say(facts, each)
        except Unfit as fault:
            faults.append(fault)
    if faults and not facts.config.failed():
        raise faults[0]


def _say_unfit(facts: Facts, unfit: Unfit) -> None:
    """Say what has no value, and from which keys of the config it was to come: a value there is the likely mistake."""
    config, title = facts.config, facts.description.title
    message = f"the description of {title} does not fit this config: {unfit}"
    read = [] if unfit.expression is None else facts.read_by(unfit.expression)
    if unfit.expression is None or not read:
        config.say("CW0651", (), message, "correct the one that is wrong: the config, or the description")
        return
    values = ", ".join(f"{config.pointer(key)} is {quoted(config.at(key))}" for key in read)
    names = " or ".join(f"`{key.removeprefix('/')}`" for key in read)
    config.say(
        "CW0651",
        config.path_of(read[0]) if len(read) == 1 else (),
        f"{message}; {values}",
        f"give {names} as the model has it, or correct {quoted(unfit.expression.text)} in the description",
    )


def _say(facts: Facts, refusal: Refusal) -> None:
    where = facts.config.path_of(refusal.at) if refusal.at else ()
    message = _NAMED.sub(lambda name: str(facts.of(name[1]).value), refusal.message)
    severity: Severity = "warning" if refusal.warning else "error"
    facts.config.say(refusal.code, where, message, refusal.help, severity=severity)


def _read_all(facts: Facts) -> None:
    """Read every field, so that one run tells all that is wrong; what stands in an object that is left
    out is read where it is needed."""
    with suppress(Said):
        facts.known["dtype"] = model_dtype(facts.config)
    for name, spec in facts.description.fields.items():
        with suppress(Said):
            if any(facts.config.reaches(key) for key in spec.keys):
                facts.of(name)


def _blame_the_decoder(config: Config, description: Description) -> None:
    """Where several keys are missing because the object is not there that they stand in, say that instead."""
    missing = [each for each in config.diagnostics if each.code == "CW0621"]
    if not config.decoder and description.decoders[0] and len(missing) > 1:
        config.diagnostics[:] = [each for each in config.diagnostics if each.code != "CW0621"]
        say_without_decoder(config, description)


def _warn_of_unread(facts: Facts) -> None:
    """A key that matters elsewhere and that this architecture does not read."""
    read = {facts.config.path_of(key) for each in facts.description.fields.values() for key in each.keys}
    read |= {facts.config.path_of(key) for key in facts.description.ignored}
    for key in facts.description.unread:
        path = facts.config.path_of(key)
        if facts.config.at(key) not in (None, False, 0, [], {}) and path not in read:
            message = f"{facts.config.pointer(key)} is given, and {facts.description.title} does not read it"
            help = "if the model has it, describe the architecture in a file beside the plan, or declare the model"
            facts.config.say("CW0633", path, message, help, severity="warning")
