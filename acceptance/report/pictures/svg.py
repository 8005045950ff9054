"""What matplotlib writes, made fit to stand in a page: a plain inline SVG that takes its colours from the page.

No script, no style attribute (a strict Content Security Policy refuses both), no id that another picture may have.
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
# What matplotlib says of each element and the page knows better, or what is so without being said.
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
    """The SVG document as an element for a page, as wide as there is room.

    `label` is its name for who cannot see it. `roles`: what each colour (`#1f6fb4`) stands for; an element of that
    colour gets the CSS classes `stroke-ROLE` and `fill-ROLE`, and keeps the colour for where no style sheet is. What
    has the colour `ink` gets that of the text around it.
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
    """Style attributes as presentation attributes, colours as classes, no more digits than can be seen."""
    parts = [each.partition(":") for each in element.attrib.pop("style", "").split(";")]
    declared = {name.strip(): value.strip() for name, _, value in parts if value}
    if size := re.search(r"([\d.]+)px", declared.get("font", "")):
        declared["font-size"] = size[1]
    for name, value in declared.items():
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
    """A group that says nothing of its own gives way to what it holds."""
    kept: list[ET.Element] = []
    for child in element:
        _flatten(child)
        _share(child)
        if child.tag == "g" and not set(child.attrib) - {"id"}:
            kept += child
        elif child.tag not in ("defs", "g") or len(child):
            kept.append(child)
    element[:] = kept


def _share(group: ET.Element) -> None:
    """What all markers of a line have in common stands once, on their group."""
    if group.tag != "g" or len(group) < 2 or any(each.tag != "use" for each in group):
        return
    for name, value in list(group[0].attrib.items()):
        if name not in ("x", "y", "href") and all(each.get(name) == value for each in group):
            group.set(name, value)
            for each in group:
                del each.attrib[name]


def _rename_ids(root: ET.Element, *, prefix: str) -> None:
    """Ids that something refers to begin with the prefix; all others go."""
    used: dict[str, str] = {}
    for element in root.iter():
        for name, value in element.attrib.items():
            found = _REFERENCE.findall(value) if name != "href" else [value.removeprefix("#")]
            for each in found:
                used.setdefault(each, f"{prefix}-{len(used)}")
    for element in root.iter():
        old = element.attrib.pop("id", "")
        if old in used:
            element.set("id", used[old])
        for name, value in element.attrib.items():
            if name == "href":
                element.set(name, "#" + used[value.removeprefix("#")])
            else:
                element.set(name, _REFERENCE.sub(lambda each: f"url(#{used[each[1]]})", value))
