"""What was built once, in the user's cache, named after what it was built from."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from embedded_cluster.layout import cache_folder
from embedded_cluster.progress import say, step


def folder_for(title: str, *, sources: Sequence[Path], recipe: str) -> Path:
    """Where the build is, or will be: named after all files below `sources`, and `recipe`, what else it depends on."""
    files = [path for source in sources for path in sorted(source.rglob("*")) if path.is_file()]
    inputs = b"".join(path.read_bytes() for path in files) + recipe.encode()
    return cache_folder() / f"{title}-{hashlib.sha256(inputs).hexdigest()[:12]}"


def built(title: str, *, sources: Sequence[Path], recipe: str, build: Callable[[Path], None]) -> Path:
    """The folder with what `build` makes; made under another name, so never half there."""
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
