"""Three tiers, each of which extends the one before it, from what each of them says in one section."""

from __future__ import annotations

from typing import Any

from acceptance.limits.inheritance import resolve_tier
from acceptance.limits.schema import TierEntry
from acceptance.limits.tiers import Tier


def family(**sections: tuple[Any, Any, Any]) -> dict[str, Tier]:
    """parent, child, grandchild: `sections` is what they say by section, None for nothing."""
    entries, before = {}, None
    for number, name in enumerate(("parent", "child", "grandchild")):
        said = {section: each[number] for section, each in sections.items() if each[number] is not None}
        entries[name] = TierEntry.model_validate(said | {"extends": before})
        before = name
    return {name: resolve_tier(name, entries)[0] for name in entries}
