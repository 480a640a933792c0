"""A release as a record of the Differential Privacy Deployments Registry (https://registry.opendp.org).

Its fields are those of `schemas/dp-registry-v1.schema.json`. The registry takes YAML, one file for a record; this one is a draft:
what no manifest can answer is left out, and stands in the file as a comment.
"""

from __future__ import annotations

import json
import re
from typing import Any

from synthrelease.errors import PolicyError
from synthrelease.exports import promised
from synthrelease.exports.task import Task
from synthrelease.exports.written import write_manifest
from synthrelease.exports.yaml_text import as_yaml
from synthrelease.privacy.event import PrivateChoice, flatten, from_json
from synthrelease.report.number_words import several

# What only the curator knows, by its path: what the registry asks for, and what it would also like to know.
REQUIRED = {
    "deployment/basic/intended_use": "to be completed: what the release is for",
    "deployment/basic/data_product_region": "to be completed: where the people are from, or whose laws apply",
    "deployment/administrative/registry_authors": 'to be completed: who wrote this record, ["..."]',
}
WELCOME = {
    "deployment/basic/data_product_sector": "if one fits: Technology, Healthcare, Education, Government, Energy or Finance",
    "deployment/deployment_model/actors": "who may see the data, and the release",
    "deployment/implementation/justification": "why these parameters, and how they were chosen",
    "deployment/implementation/utility": "what the release is worth, from a source that may be published",
    "deployment/administrative/evidence_sources": "where the release, or a paper on it, can be read",
}
_CURATORS = "deployment/basic/data_curators"
_CURATOR_TYPE = "to be completed: Government, Industry or Nonprofit"
_CURATOR = 'to be completed: who publishes it, [{data_curator_name: "...", data_curator_type: "..."}]'
_VARIANTS = {"pure_dp": "Pure DP", "approx_dp": "Approximate DP", "zcdp": "Zero-concentrated DP"}
_IN_REGISTRY = ("epsilon", "delta", "rho")
_CHOSEN = (
    "A parameter that was chosen from the private data with noise is paid for. Whether the others were chosen without looking at the "
    "private data, no manifest can show."
)
_TRUST = (
    "Trusted: the curator, whose machine holds the private data and draws the noise. Not trusted: anybody who reads the release, "
    "whatever else they know, and however they work together."
)


def write(task: Task) -> list[str]:
    """Write `dp_registry.yaml`, and the manifest that it follows from."""
    record = dp_registry(task.manifest, sha256=task.bundle_digest)
    text = as_yaml(record, blanks=blanks(record))
    (task.folder / "dp_registry.yaml").write_text(text, encoding="utf-8")
    return [
        *write_manifest(task),
        "dp_registry.yaml is a draft: lines that begin with # tell what only you can answer",
    ]


def dp_registry(manifest: dict[str, Any], *, sha256: str) -> dict[str, Any]:
    """Return the draft of a record: it lacks what `blanks` tells of it.

    Args:
        manifest: of a bundle that verifies.
        sha256: of the bundle, in hexadecimal digits.

    Raises:
        PolicyError: nothing in the release is differentially private.
    """
    release, privacy = manifest["release"], manifest["privacy"]
    if not privacy["composition"]["outputs"]:
        raise PolicyError(
            "nothing-private",
            "nothing in this release is differentially private: it has no place in a registry of that",
            expected="an output with pure or approximate differential privacy",
            remedy="describe it with --to datacite, which says what is not protected",
        )
    guarantee = privacy["guarantee"]
    people = privacy["people"]
    curators = [{"data_curator_name": release["contact"]}] if "contact" in release else []
    return {
        "url_slug": _slug(release),
        "deployment": {
            "basic": {
                "name": promised.title(manifest),
                **({"data_curators": curators} if curators else {}),
                "description": _bullets([*promised.abstract(manifest), promised.together(manifest)]),
                "data_product_type": _product_type(manifest["outputs"]),
                "publication_date": release["date"],
            },
            "dp_variant": {
                "variant_name": _VARIANTS.get(guarantee["kind"], "Custom"),
                "data_domain": (
                    "Any rows of people in the inputs of the plan. What is public is the same in all of them: bounds, lengths and "
                    "the facts among the unprotected quantities."
                ),
                "unprotected_quantities": _bullets(promised.not_protected(manifest)),
            },
            "privacy_loss": {
                "privacy_unit": "Person-level",
                "privacy_unit_details": promised.neighbours(manifest),
                **({} if people is None else {"number_of_privacy_units": people}),
                "privacy_parameters": {key: guarantee[key] for key in _IN_REGISTRY if key in guarantee},
                "privacy_parameters_details": _bullets(
                    [*promised.guarantees(manifest), *promised.narrower(manifest)]
                ),
            },
            "deployment_model": {
                "model_name": "Central",
                "trust_assumptions": _TRUST,
                "release_type": "One release",
                "release_type_details": promised.spending(manifest),
                "data_source_type": "Static",
                "access_type": "Non-interactive",
            },
            "implementation": _implementation(manifest, sha256),
            "administrative": {"status": "Draft", "tier": 2},
        },
    }


def blanks(record: dict[str, Any]) -> dict[str, str]:
    """Return what is to be filled in of a draft, by its path, with what belongs there."""
    named = "data_curators" in record["deployment"]["basic"]
    curator = {f"{_CURATORS}/data_curator_type": _CURATOR_TYPE} if named else {_CURATORS: _CURATOR}
    return {**curator, **REQUIRED, **WELCOME}


def _implementation(manifest: dict[str, Any], sha256: str) -> dict[str, str]:
    tool = manifest["tool"]
    versions = ", ".join(f"{name} {version}" for name, version in tool["dependencies"].items())
    return {
        "preprocessing_and_hyperparameter_tuning": _bullets(
            [
                *promised.making(manifest),
                *map(_parameters, manifest["outputs"]),
                _CHOSEN,
            ]
        ),
        "mechanisms": _bullets(
            [
                f"Library: {tool['name']} {tool['version']} ({versions}).",
                f"Source of randomness: {manifest['randomness']['source']}.",
                *map(_mechanism, manifest["outputs"]),
            ]
        ),
        "composition": promised.together(manifest),
        "post_processing": _bullets(promised.post_processing(manifest)),
        "additional_information": _bullets(_additional(manifest, sha256)),
    }


def _additional(manifest: dict[str, Any], sha256: str) -> list[str]:
    release = manifest["release"]
    licence = [f"Licence: {release['license']}."] if "license" in release else []
    return [
        f"Version {release['version']} of {release['name']}, built on {release['date']}.",
        *licence,
        promised.recomputed(sha256),
        *promised.biases(manifest),
        *promised.warnings(manifest),
    ]


def _mechanism(output: dict[str, Any]) -> str:
    leaves = flatten(from_json(output["event"]))
    choices = sum(isinstance(leaf, PrivateChoice) for leaf in leaves)
    told = [f"{output['name']}: {output['kind']} by {output['mechanism']['name'].replace('_', ' ')}"]
    if choices:
        told.append(f"{several(choices, 'private choice')} by permute-and-flip")
    if output["noise"] is None:
        return "; ".join([*told, "no noise of integers"])
    told.append("integers, whose noise is drawn exactly and not in floating point")
    noise, reach = output["noise"], output["sensitivity"]
    told.append(
        f"{noise['distribution'].replace('_', ' ')} noise of scale {noise['scale']} steps on a vector of integers whose "
        f"{reach['norm'].upper()} sensitivity is {reach['value']} steps: {reach['derivation']}"
    )
    return "; ".join(told)


def _parameters(output: dict[str, Any]) -> str:
    """All parameters of a mechanism but its lists, which are long, and stand in the manifest."""
    stated = output["mechanism"]["parameters"]
    few = {key: value for key, value in stated.items() if not isinstance(value, list | dict)}
    told = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in few.items())
    return f"{output['name']}, parameters: {told}"


def _product_type(outputs: list[dict[str, Any]]) -> str:
    kinds = {output["kind"] for output in outputs}
    each = any(output["mechanism"]["parameters"].get("query") == "each" for output in outputs)
    if kinds == {"records"}:
        return "Synthetic data"
    return "Dataset" if "records" in kinds or each else "Summary statistics"


def _slug(release: dict[str, Any]) -> str:
    told = f"{release['name']} {release['version']} {release['date'][:4]}"
    return re.sub(r"[^a-z0-9]+", "-", told.lower()).strip("-")


def _bullets(sentences: list[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)
