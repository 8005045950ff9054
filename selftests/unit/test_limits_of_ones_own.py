"""Limits that one owns: families, inherited reasons, sources, several files; and whose tier it is then."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.limits.reasons import sources_of
from acceptance.limits.shipped import shipped_profiles
from acceptance.limits.tiers import LimitsFile, Tier
from acceptance.text.errors import WrongUsage

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "thresholds.yaml"
PROFILES = {"fast-read-latency", "slow-read-latency", "order-log"}


def read(folder: Path, *texts: str, profiles: set[str] = PROFILES) -> LimitsFile:
    paths = [folder / f"{chr(ord('a') + number)}.yaml" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return load_limits(paths, profiles=profiles | shipped_profiles(), shipped_path=SHIPPED)


def tier(limits: str, name: str = "shop", more: str = "") -> str:
    return f"version: 1\ntiers:\n  {name}:\n    description: d\n{more}    limits:\n{limits}"


def problems(folder: Path, *texts: str) -> list[str]:
    with pytest.raises(WrongUsage) as raised:
        read(folder, *texts)
    return str(raised.value).replace(f"{folder}/", "").splitlines()


def limit(found: Tier, profile: str, metric: str) -> Limit:
    (one,) = (each for each in found.of("limits", profile=profile) if each.metric.path == metric)
    return one


FAMILY = '      "*-read-latency":\n        read.latency.mean: {at_most: 5ms, because: queries wait}\n'


def test_a_family_is_all_profiles_that_its_pattern_fits(tmp_path: Path) -> None:
    found = read(tmp_path, tier(FAMILY)).tier("shop")
    assert {each.profile for each in found.limits} >= {"fast-read-latency", "slow-read-latency", "random-read-latency"}
    assert not found.of("limits", profile="order-log")
    several = FAMILY.replace('"*-read-latency"', '"fast-*, order-log"')
    assert {each.profile for each in read(tmp_path, tier(several)).tier("shop").limits} == {
        "fast-read-latency",
        "order-log",
    }


def test_a_profile_by_its_own_name_counts_more_and_keeps_the_familys_reason(tmp_path: Path) -> None:
    own = "      slow-read-latency: {read.latency.mean: {at_most: 9ms}}\n"
    for text in (FAMILY + own, own + FAMILY):
        found = read(tmp_path, tier(text)).tier("shop")
        slow = limit(found, "slow-read-latency", "read.latency.mean")
        assert (slow.bound, slow.because) == (pytest.approx(0.009), "queries wait")
        assert limit(found, "fast-read-latency", "read.latency.mean").bound == 0.005


def test_a_reason_is_inherited_with_its_source_and_one_of_ones_own_is_not_added_to(tmp_path: Path) -> None:
    text = tier(
        "      sync-write-iops: {write.iops: {at_least: 1600}}\n"
        "      etcd-fsync: {sync.latency.p99: {at_most: 2ms, because: our leaders change}}\n",
        more="    extends: builtin/production\n",
    )
    found = read(tmp_path, text).tier("shop")
    sync = limit(found, "sync-write-iops", "write.iops")
    assert sync.bound == 1600 and sync.because.startswith("Manetu's guide recommends more than 1000 a second")
    assert sync.because.endswith(" (source: manetu)")
    assert limit(found, "etcd-fsync", "sync.latency.p99").because == "our leaders change"


def test_sources_are_keys_with_addresses(tmp_path: Path) -> None:
    text = "sources: {dba: {about: our own measurement, address: https://wiki.example.com/db}}\n" + tier(
        "      order-log: {write.iops: {at_least: 9, source: dba, because: orders wait}}\n"
    )
    found = read(tmp_path, text)
    assert limit(found.tier("shop"), "order-log", "write.iops").because == "orders wait (source: dba)"
    assert found.sources["dba"].address == "https://wiki.example.com/db"


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (
            '      "*-reed-*": {read.iops: {at_least: 1, because: b}}\n',
            "a.yaml:6: tiers.shop.limits.*-reed-*: expected",
        ),
        ("      order-log: {write.iops: {at_least: 9}}\n", "…order-log.write.iops.because: expected this key, found"),
        (
            "      order-log: {write.iops: {at_least: 9, source: dba, because: b}}\n",
            "expected a source of the file",
        ),
        (FAMILY.replace("5ms", "5"), "a.yaml:7: tiers.shop.limits.*-read-latency.read.latency.mean.at_most: expected"),
        (
            FAMILY + '      "slow-*": {read.latency.mean: {at_most: 6ms, because: queries wait}}\n',
            (
                "a.yaml:8: tiers.shop.limits.slow-*.read.latency.mean.at_most: expected one family that sets this "
                "key for a profile, found '6ms' here and '5ms' on line 7; name the profile itself"
            ),
        ),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(limits: str, told: str, tmp_path: Path) -> None:
    found = problems(tmp_path, tier(limits))
    assert told.replace("…", "tiers.shop.limits.") in found[-1]


def test_a_wrong_source_is_told(tmp_path: Path) -> None:
    text = "sources: {dba: {about: ours, address: wiki}}\n" + tier(FAMILY)
    assert "a.yaml:1: sources.dba.address: expected an address such as https://" in problems(tmp_path, text)[0]


def test_several_files_are_one(tmp_path: Path) -> None:
    first = tier("      order-log: {write.iops: {at_least: 900, because: orders wait}}\n", name="team")
    second = tier(
        "      order-log: {write.iops: {at_least: 1200}}\n"
        "      etcd-fsync: {sync.latency.p99: {at_most: 2ms, because: b}}\n",
        more="    extends: team\n",
    )
    found = read(tmp_path, first, second)
    assert list(found.tiers) == ["team", "shop"]
    log = limit(found.tier("shop"), "order-log", "write.iops")
    assert (log.bound, log.because) == (1200, "orders wait")
    third = tier("      fast-read-latency: {read.iops: {at_least: 5, because: b}}\n", name="team")
    assert len(read(tmp_path, first, second, third).tier("shop").limits) == 3


def test_files_that_contradict_each_other_are_told_with_both_places(tmp_path: Path) -> None:
    one, other = (
        tier(f"      order-log: {{write.iops: {{at_least: {value}, because: b}}}}\n") for value in (900, 1200)
    )
    assert problems(tmp_path, one, other) == [
        "b.yaml:6: tiers.shop.limits.order-log.write.iops.at_least: expected one value for this key, found 1200 here "
        "and 900 in "
        f"{tmp_path}/a.yaml:6; remove one of them, or set it in a tier of another name that extends this one".replace(
            f"{tmp_path}/", ""
        )
    ]
    assert read(tmp_path, one, one).tier("shop").limits, "what is the same is no contradiction"
    assert "b.yaml:1: version: expected this key" in problems(tmp_path, one, one.replace("version: 1\n", ""))[0]
    assert problems(tmp_path, one, "[]")[0].startswith("b.yaml:1: expected a mapping")


def test_a_family_in_the_shipped_file_is_of_shipped_profiles_alone(tmp_path: Path) -> None:
    """A profile of one's own changes nothing of what the shipped tiers ask for."""
    text = tier("      order-log: {write.iops: {at_least: 9, because: b}}\n", more="    extends: builtin/baseline\n")
    assert not read(tmp_path, text).tier("shop").of("limits", profile="fast-read-latency")
    shipped = load_limits(SHIPPED, profiles=PROFILES | shipped_profiles(), shipped_path=SHIPPED).tier("baseline")
    assert {each.profile for each in shipped.of("limits")} == shipped_profiles()


WITHOUT_ADDRESS = {"lesson": "a course, not on the web", "manetu": "no page with it was found"}


def test_the_shipped_file_is_short() -> None:
    assert len(SHIPPED.read_text(encoding="utf-8").splitlines()) <= 320


def test_each_source_of_the_shipped_limits_is_an_address_and_named_by_a_limit() -> None:
    found = load_limits(SHIPPED, profiles=shipped_profiles())
    addresses = {key: each.address for key, each in found.sources.items()}
    assert {key for key, address in addresses.items() if not address} == WITHOUT_ADDRESS.keys()
    assert [each for each in addresses.values() if each and not is_an_address(each)] == []
    limits = [limit for tier in found.origins.values() for limit in tier]
    named = {key for each in limits for key in sources_of(getattr(each, "because", ""))}
    assert named == addresses.keys()


@pytest.mark.parametrize(
    "target", sorted((ROOT / "acceptance/settings/targets").glob("*.yaml")), ids=lambda path: path.stem
)
def test_each_source_of_a_target_is_an_address(target: Path) -> None:
    sources = re.findall(r"^ +source: (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
    assert sources and [source for source in sources if not is_an_address(source)] == []


@pytest.mark.parametrize(
    "text", ["", "wiki", "http://a.example", "https://", "https://a", "https://u:p@a.example/", "https://a.example/ b"]
)
def test_what_is_no_address_is_told_from_one(text: str) -> None:
    assert not is_an_address(text)


def is_an_address(text: str) -> bool:
    """Of a page that anybody can open: https, a host with a domain, no account, no space."""
    parts = urlsplit(text)
    host = parts.hostname or ""
    return parts.scheme == "https" and "." in host and "@" not in parts.netloc and not re.search(r"\s", text)


AT_SHARE = "{order-log: {write.latency.p99: {at_most: 9ms, of_capacity: 10%, because: others wait}}}"
RESTARTS = "{order-log: {restarts: {at_most: 0, because: volumes wait}}}"
RENAMED = [("noisy_neighbours", "noisy_neighbors", AT_SHARE), ("price", "resource_overhead", RESTARTS)]


def section(key: str, content: str) -> str:
    return f"version: 1\ntiers:\n  shop:\n    {key}: {content}\n"


@pytest.mark.parametrize(("former", "present", "content"), RENAMED)
def test_a_section_is_read_by_its_former_key(former: str, present: str, content: str, tmp_path: Path) -> None:
    """Also a family in it, and together with a file that has the present key."""
    expected = read(tmp_path, section(present, content)).tier("shop")
    assert len(expected.of(present)) == 1
    assert read(tmp_path, section(former, content)).tier("shop") == expected
    assert read(tmp_path, section(former, content), section(present, content)).tier("shop") == expected
    family = section(former, content.replace("order-log:", '"order-*":'))
    assert read(tmp_path, family).tier("shop") == expected


@pytest.mark.parametrize(("former", "present", "content"), RENAMED)
def test_mistakes_in_a_section_with_its_former_key_name_the_key_of_the_file(
    former: str, present: str, content: str, tmp_path: Path
) -> None:
    (problem,) = problems(tmp_path, section(former, content.replace("because:", "why:")))[:1]
    assert problem.startswith(f"a.yaml:4: tiers.shop.{former}.order-log.")
    other = section(former, content) + f"    {present}: {content.replace('others', 'more').replace('volumes', 'more')}"
    (problem,) = problems(tmp_path, other)
    assert problem.startswith(f"a.yaml:5: tiers.shop.{present}.order-log.") and "one value for this key" in problem


def test_a_tier_with_a_former_key_extends_a_shipped_one(tmp_path: Path) -> None:
    limits = "{random-write-iops: {restarts: {at_most: 2, because: volumes wait}}}"
    shop = read(tmp_path, section("price", limits) + "    extends: builtin/production\n").tier("shop")
    assert [each.bound for each in shop.of("resource_overhead") if each.path == "restarts"] == [2.0]
