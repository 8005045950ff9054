"""The formats of single settings, and their values: each error says what was expected and what was found."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, PlainSerializer, ValidationInfo

from acceptance.results.features import Capability, current_name
from acceptance.results.history_file import history_path
from acceptance.results.workloads import WORKLOADS, Workload
from acceptance.settings.directories import directory
from acceptance.settings.gateway import Gateway
from acceptance.settings.pod_template import PodTemplate, read_pod_template
from acceptance.settings.targets import shipped_targets, target_path
from acceptance.statistics.interim_analyses import MINUTE_S
from acceptance.text.quantities import parse_quantity, parse_size

SHORTEST_WINDOW_S, LONGEST_WINDOW_S = 4, 600
SHORTEST_LOAD_S, LONGEST_LOAD_S = 4, 3600
SHORTEST_SUSTAINED_S, LONGEST_SUSTAINED_S = 120, 86400
MOST_LOAD_S = 1800
SMALLEST_PART, LARGEST_PART = 0.05, 0.5
CLUSTERS_USER: Final = "cluster"


def _object_name(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?", value):
        raise ValueError(f"expected a Kubernetes object name (lower-case letters, digits, '-', '.'), found {value!r}")
    return value


def _class_name(value: str, info: ValidationInfo) -> str:
    """Return the name of a class, or of a directory as one; unchecked if the kind of cluster is invalid."""
    if info.data.get("cluster") == "host":
        return directory(value)
    if "/" in value:
        raise ValueError(
            f"expected a Kubernetes object name, found {value!r}; "
            "for directories of this host set --storage-cluster host"
        )
    return _object_name(value) if "cluster" in info.data else value


def _existing_file(value: Path) -> Path:
    if not value.is_file():
        raise ValueError(f"file {value} does not exist")
    return value


def limits_files(value: Any) -> tuple[Path, ...]:
    """Return the files of `team.yaml:shop.yaml`, separated as in PATH; one file may have a colon in its name."""
    if not isinstance(value, str | Path):
        return tuple(map(Path, value))
    whole = Path(value)
    names = [str(value)] if whole.exists() else [name for name in str(value).split(os.pathsep) if name]
    if len(set(names)) < len(names) or not names:
        raise ValueError(f"expected files of limits, each once, with {os.pathsep!r} between them, found {str(value)!r}")
    return tuple(map(Path, names))


def _duration_s(value: Any) -> float:
    return parse_quantity(value, unit="s")


def _seconds(value: Any) -> float:
    """Return seconds: of text with a unit, as a user writes it; a bare number is the suite's own default."""
    return parse_quantity(value, unit="s") if isinstance(value, str) else float(value)


def _size_bytes(value: Any) -> int:
    return parse_size(value)


def _secret_name(value: str) -> str:
    namespace, _, name = value.rpartition("/")
    return f"{_object_name(namespace or 'default')}/{_object_name(name)}"


def _steps(value: Any) -> tuple[int, ...]:
    """Return the numbers of volumes of `1,3,6`, each larger than the previous one."""
    words = [word.strip() for word in str(value).split(",")] if isinstance(value, str) else list(value)
    if not all(re.fullmatch(r"[1-9][0-9]{0,3}", str(word)) for word in words):
        raise ValueError(f"expected rising numbers of volumes such as 1,3,6, found {value!r}")
    steps = tuple(map(int, words))
    if not steps or any(later <= earlier for earlier, later in pairwise(steps)):
        raise ValueError(f"expected rising numbers of volumes such as 1,3,6, found {value!r}")
    return steps


def _window_s(value: Any) -> float:
    window_s = _seconds(value)
    if not SHORTEST_WINDOW_S <= window_s <= LONGEST_WINDOW_S:
        raise ValueError(f"expected a window of {SHORTEST_WINDOW_S} s to {LONGEST_WINDOW_S} s, found {value!r}")
    return window_s


def _load_s(value: Any) -> float:
    seconds = _seconds(value)
    if not SHORTEST_LOAD_S <= seconds <= LONGEST_LOAD_S:
        raise ValueError(
            f"expected {SHORTEST_LOAD_S} s to 1 h, such as 30s, found {value!r}; for loads of hours use "
            "--storage-with sustained"
        )
    return seconds


def _longest_s(value: Any) -> float:
    """Return seconds, from a minute, which is always measured, to half an hour; longer loads are sustained loads."""
    seconds = _seconds(value)
    if not MINUTE_S <= seconds <= MOST_LOAD_S:
        raise ValueError(f"expected {MINUTE_S} s to {MOST_LOAD_S // 60} min, found {value!r}")
    return seconds


def _sustained_s(value: Any) -> float:
    seconds = _seconds(value)
    if seconds < SHORTEST_SUSTAINED_S or seconds % 60 or seconds > LONGEST_SUSTAINED_S:
        raise ValueError(f"expected whole minutes, 2 min to 24 h, found {value!r}")
    return seconds


def _rate(value: Any) -> str:
    """Return the rate as written: its unit, IOPS or bytes a second, must be that of its profile."""
    for unit in ("1/s", "B/s"):
        try:
            if parse_quantity(value, unit=unit) >= 1:
                return str(value)
        except ValueError:
            continue
    raise ValueError(f"expected a rate of each volume such as 200 or 10MiB/s, at least 1 a second, found {value!r}")


def _ramp_rate(value: Any) -> float:
    rate = parse_quantity(value, unit="1/s")
    if rate == 0.0:
        raise ValueError(f"expected a rate above zero such as 30/min, found {value!r}")
    return rate


def _share(value: Any) -> float:
    """Return the share of `50%`: above zero, and also above 100 %, for storage that overcommits."""
    share = parse_quantity(value, unit="ratio")
    if share == 0.0:
        raise ValueError(f"expected a share above zero such as 50%, found {value!r}")
    return share


def _smaller(value: Any) -> float:
    """Return the share of `25%`: at most half of the full size; 0 for none."""
    share = parse_quantity(value, unit="ratio")
    if share != 0.0 and not SMALLEST_PART <= share <= LARGEST_PART:
        raise ValueError(f"expected 5% to 50%, or 0% for none, found {value!r}")
    return share


def _label(value: Any) -> tuple[str, str]:
    key, separator, text = str(value).partition("=")
    if not separator or not key:
        raise ValueError(f"expected a label of nodes as KEY=VALUE, found {value!r}")
    return key, text


def _pod_user(value: Any) -> int | str:
    """Return `cluster`, or the number of a user that is not root."""
    if value == CLUSTERS_USER:
        return CLUSTERS_USER
    if not re.fullmatch(r"[1-9][0-9]{0,9}", str(value)) or int(value) >= 2**31:
        raise ValueError(
            f"expected the number of a user other than root, such as 1000, or {CLUSTERS_USER}, which leaves it to the "
            f"cluster, found {value!r}"
        )
    return int(value)


def _repeats(value: Any) -> int:
    if not re.fullmatch(r"[1-9][0-9]?", str(value)) or str(value) == "2":
        raise ValueError(f"expected 1, or 3 to 99, which give an interval, found {value!r}")
    return int(value)


def capability_names(value: Any) -> tuple[str, ...]:
    """Return the words of `expansion,snapshot`, former names as present ones; the caller checks the names."""
    words = [word.strip() for word in value.split(",")] if isinstance(value, str) else value
    return tuple(map(current_name, words))


def _workloads(value: Any) -> tuple[str, ...]:
    """Return the names of workloads, each once."""
    words = list(value)
    if unknown := [word for word in words if word not in WORKLOADS]:
        raise ValueError(f"expected workloads of {', '.join(WORKLOADS)}, found {', '.join(map(repr, unknown))}")
    return tuple(dict.fromkeys(words))


def pods_of(value: Any) -> tuple[str, ...]:
    """Return words of the form NAMESPACE or NAMESPACE/SELECTOR. Raises ValueError for any other word."""
    words = [value] if isinstance(value, str) else list(value)
    for word in words:
        namespace, _, selector = str(word).partition("/")
        if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", namespace) or (
            "/" in str(word) and not selector.strip()
        ):
            raise ValueError(f"expected the pods of the storage as NAMESPACE or NAMESPACE/app=NAME, found {word!r}")
    return tuple(map(str, words))


def _pushgateway(value: Any) -> str:
    """Return the URL as written. Its password is redacted everywhere from now on."""
    Gateway.parse(str(value))
    return str(value)


def _display_path(path: Path) -> str:
    """Return the path for results, whose readers do not know the folders of the machine that started the run.

    A shipped target has its name; other paths are relative to the folder of the run or of the suite, or to the home
    folder.
    """
    name = next((name for name, target in shipped_targets().items() if target == path), None)
    if name is not None:
        return name
    whole = path.resolve()
    for folder, prefix in ((Path.cwd(), Path()), (_SUITE, Path()), (Path.home().resolve(), Path("~"))):
        if folder.name and whole.is_relative_to(folder):
            return str(prefix / whole.relative_to(folder))
    return str(path)


_SUITE = Path(__file__).resolve().parents[2]
_DisplayPath = PlainSerializer(_display_path, when_used="json")

SecretName = Annotated[str, BeforeValidator(_secret_name)]
ObjectName = Annotated[str, BeforeValidator(_object_name)]
ClassName = Annotated[str, BeforeValidator(_class_name)]
Size = Annotated[int, BeforeValidator(_size_bytes)]
Duration = Annotated[float, BeforeValidator(_duration_s)]
Folder = Annotated[Path, _DisplayPath]
ExistingFile = Annotated[Path, BeforeValidator(lambda value: _existing_file(Path(value).expanduser())), _DisplayPath]
TargetFile = Annotated[Path, BeforeValidator(target_path), _DisplayPath]
HistoryFile = Annotated[Path, BeforeValidator(lambda value: history_path(Path(value).expanduser())), _DisplayPath]
PushgatewayUrl = Annotated[str, BeforeValidator(_pushgateway)]
Workloads = Annotated[tuple[Workload, ...], BeforeValidator(_workloads)]
Capabilities = Annotated[tuple[Capability, ...], BeforeValidator(capability_names)]
Steps = Annotated[tuple[int, ...], BeforeValidator(_steps)]
Window = Annotated[float, BeforeValidator(_window_s)]
LimitsFiles = Annotated[tuple[Folder, ...], BeforeValidator(limits_files)]
LoadTime = Annotated[float, BeforeValidator(_load_s)]
LongestLoad = Annotated[float, BeforeValidator(_longest_s)]
SustainedTime = Annotated[float, BeforeValidator(_sustained_s)]
VolumeRate = Annotated[str, BeforeValidator(_rate)]
PodsOf = Annotated[tuple[str, ...], BeforeValidator(pods_of)]
RampRate = Annotated[float, BeforeValidator(_ramp_rate)]
Share = Annotated[float, BeforeValidator(_share)]
NodeLabel = Annotated[tuple[str, str], BeforeValidator(_label)]
PodUser = Annotated[int | Literal["cluster"], BeforeValidator(_pod_user)]
PodTemplateFile = Annotated[PodTemplate, BeforeValidator(read_pod_template)]
Repeats = Annotated[int, BeforeValidator(_repeats)]
SmallerPart = Annotated[float, BeforeValidator(_smaller)]
