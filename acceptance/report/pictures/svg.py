"""The output of matplotlib for a page: a plain inline SVG that takes its colors from the page.

No script, no style attribute (a strict Content Security Policy rejects both), no id that another picture may have.
"""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

from markupsafe import Markup

_SVG = "http://www.w3.org/2000/svg"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
# Styles that matplotlib sets on each element but the page sets itself, or that are the default.
_IDLE = {
    "font-family",
    "font",
    "stroke-linejoin",
    "stroke-linecap",
    "stroke-miterlimit",
    "stroke-dashoffset",
    "text-align",
    "-webkit-text-size-adjust",
}


def inline(document: bytes, *, label: str, roles: Mapping[str, str], ink: str) -> Markup:
    """Return the SVG document as an element for a page, as wide as there is room.

    `label` names it for readers who cannot see it. `roles`: the meaning of each color (`#1f6fb4`); an element of that
    color gets the CSS classes `stroke-ROLE` and `fill-ROLE`, and keeps the color for pages without a style sheet. An
    element of the color `ink` gets the color of the text around it.
    """
    root = ET.fromstring(document)
    for parent in list(root.iter()):
        for child in list(parent):
            if _name(child) in ("metadata", "style", "title"):
                parent.remove(child)
    for element in root.iter():
        element.tag = _name(element)
        _plain(element, roles, ink)
    _flatten(root)
    _rename_ids(root, prefix="p" + hashlib.sha256(label.encode() + document).hexdigest()[:8])
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib |= {"xmlns": _SVG, "role": "img", "aria-label": label, "stroke-linejoin": "round"}
    text = ET.tostring(root, encoding="unicode")
    # ElementTree has escaped all text.
    return Markup(re.sub(r">\s+<", "><", text))


def _name(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _plain(element: ET.Element, roles: Mapping[str, str], ink: str) -> None:
    """Turn style attributes into presentation attributes, and colors into classes; round numbers to visible digits."""
    parts = [declaration.partition(":") for declaration in element.attrib.pop("style", "").split(";")]
    styles = {name.strip(): value.strip() for name, _, value in parts if value}
    if size := re.search(r"([\d.]+)px", styles.get("font", "")):
        styles["font-size"] = size[1]
    for name, value in styles.items():
        if name not in _IDLE and (name, value) not in (("stroke-width", "1"), ("fill-opacity", "1")):
            element.set(name, value.removesuffix("px"))
    for name in ("fill", "stroke"):
        if element.attrib.get(name) == ink:
            element.set(name, "currentColor")
    classes = [
        f"{name}-{roles[element.attrib[name]]}" for name in ("fill", "stroke") if element.attrib.get(name) in roles
    ]
    if classes:
        element.set("class", " ".join(classes))
    if _HREF in element.attrib:
        element.set("href", element.attrib.pop(_HREF))
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    for name in ("d", "x", "y", "transform"):
        if name in element.attrib:
            element.set(name, " ".join(_NUMBER.sub(_short, element.attrib[name]).split()))


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _flatten(element: ET.Element) -> None:
    """Replace a group without attributes of its own by its content."""
    children: list[ET.Element] = []
    for child in element:
        _flatten(child)
        _share(child)
        if child.tag == "g" and not set(child.attrib) - {"id"}:
            children += child
        elif child.tag not in ("defs", "g") or len(child):
            children.append(child)
    element[:] = children


def _share(group: ET.Element) -> None:
    """Move the attributes that all markers of a line have in common to their group."""
    if group.tag != "g" or len(group) < 2 or any(marker.tag != "use" for marker in group):
        return
    for name, value in list(group[0].attrib.items()):
        if name not in ("x", "y", "href") and all(marker.get(name) == value for marker in group):
            group.set(name, value)
            for marker in group:
                del marker.attrib[name]


def _rename_ids(root: ET.Element, *, prefix: str) -> None:
    """Prefix the ids that something refers to; remove all others."""
    new_ids: dict[str, str] = {}
    for element in root.iter():
        for name, value in element.attrib.items():
            old_ids = _REFERENCE.findall(value) if name != "href" else [value.removeprefix("#")]
            for old_id in old_ids:
                new_ids.setdefault(old_id, f"{prefix}-{len(new_ids)}")
    for element in root.iter():
        old = element.attrib.pop("id", "")
        if old in new_ids:
            element.set("id", new_ids[old])
        for name, value in element.attrib.items():
            if name == "href":
                element.set(name, "#" + new_ids[value.removeprefix("#")])
            else:
                element.set(name, _REFERENCE.sub(lambda match: f"url(#{new_ids[match[1]]})", value))
