"""Builds that are done once, in the user's cache, and named after their inputs."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from embedded_cluster.layout import cache_folder
from embedded_cluster.progress import say, step


def folder_for(title: str, *, sources: Sequence[Path], recipe: str) -> Path:
    """Return the folder of the build, which may not exist yet: named after all files below `sources`, and `recipe`.

    `recipe`: all else that the build depends on.
    """
    files = [path for source in sources for path in sorted(source.rglob("*")) if path.is_file()]
    inputs = b"".join(path.read_bytes() for path in files) + recipe.encode()
    return cache_folder() / f"{title}-{hashlib.sha256(inputs).hexdigest()[:12]}"


def build_once(title: str, *, sources: Sequence[Path], recipe: str, build: Callable[[Path], None]) -> Path:
    """Return the folder with the output of `build`; it is built under another name, so it is never incomplete."""
    folder = folder_for(title, sources=sources, recipe=recipe)
    if folder.exists():
        return folder
    say(f"building {title}; this is done once, and takes minutes")
    cache_folder().mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix="build-", dir=cache_folder()))
    try:
        with step(f"build {title}"):
            build(temporary)
        temporary.chmod(0o755)
        temporary.rename(folder)
    except OSError:
        if not folder.exists():  # Else another `up` was faster, and its build is as good.
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder
