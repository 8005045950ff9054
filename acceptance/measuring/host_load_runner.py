"""The bench of a host: directories serve as volumes, and processes of this host run the load."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from platform import node as host_name

from acceptance.cluster.objects import object_name
from acceptance.loads.profiles import PREFILL, Profile
from acceptance.measuring.ending import longest_s, require_success
from acceptance.measuring.host_workspace import HostWorkspace
from acceptance.measuring.load import Load, PreparedVolume, Preparing, Segment, Watch
from acceptance.measuring.load_log import Output, output_of
from acceptance.measuring.load_script import FIO, commands, load_environment, load_script
from acceptance.measuring.prefill import (
    PREFILL_FILE,
    SLOWEST_B_PER_S,
    SPARE_S,
    TEST_FILE,
    prefill_output,
    prefill_text,
    require_written,
    watch_writing,
)
from acceptance.measuring.process_load import ProcessLoad
from acceptance.measuring.space_check import check_environment, check_script, measures_fio, space_needed
from acceptance.text.errors import AcceptanceError, StorageFailure


@dataclass(frozen=True, kw_only=True)
class HostVolume(PreparedVolume):
    """The run's folder in a directory of this host. It holds the test file and the profiles."""

    folder: Path

    @property
    def test_file(self) -> str:
        """The path of the file that is loaded."""
        return str(self.folder / TEST_FILE)


class HostLoadRunner:
    """The implementation of `Bench` for a host; a StorageClass is the path of a directory of the workspace.

    `profiles` are all profiles that may be run; `test_size` in bytes.
    """

    def __init__(self, workspace: HostWorkspace, *, profiles: Sequence[Profile], test_size: int) -> None:
        self._workspace = workspace
        self._profiles = profiles
        self._test_size = test_size
        self._space = space_needed(profiles, test_size=test_size)

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        """Prepare the volumes, see `Bench`: files are written one after the other; this host is the only node.

        Errors: WrongUsage for a profile that fio rejects, StorageFailure if there is too little space or the file
        cannot be written, EnvironmentFailure if the disk would be nearly full.
        """
        results: dict[str, PreparedVolume | AcceptanceError] = {}
        for storage_class in storage_classes:
            try:
                together = _on_the_same_disk(storage_class, storage_classes)
                results[storage_class] = self._lay_out(storage_class, progress, together=together)
            except AcceptanceError as error:
                results[storage_class] = error
        return results

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        """Run the load, see `Bench`: one process loads all volumes."""
        volumes = [volume for volume in load.volumes if isinstance(volume, HostVolume)]
        within_s = longest_s(load) + SPARE_S
        process = self._process(
            load_script(commands(load.profile)),
            [volumes[place].test_file for place in load.order],
            label=f"the load {load.name}",
            folder=volumes[0].folder,
            runtime=load.runtime,
            environment=load_environment(load.profile, job_file=load.profile.path.name, rate=load.rate),
            new_output=output_of(load.profile),
        )
        try:
            with process:
                samples, enough = process.follow(watch, within_s=within_s)
        finally:
            process.log.keep(load.names, keep_output=self._workspace.keep_output)
        require_success(load, process.log, stopped_early=enough)
        return process.log.recorded_segments(samples, pod=f"process {process.pid}", node=volumes[0].node)

    def _lay_out(self, storage_class: str, progress: Preparing, *, together: int) -> HostVolume:
        """Write the test file in full; `together`: the number of directories on the same disk."""
        folder = self._workspace.folder(storage_class)
        volume = HostVolume(storage_class=storage_class, node=host_name(), test_size=self._test_size, folder=folder)
        profiles = {profile.path.name: profile.text for profile in self._profiles}
        _write(folder, profiles | {PREFILL_FILE: prefill_text()})
        check = check_script(self._profiles, space=self._space, together=together, claim_size=None)
        process = self._process(
            load_script(f'{FIO} "{PREFILL_FILE}"', check=check),
            [volume.test_file],
            label=f"writing the test file in {storage_class}",
            folder=folder,
            runtime="1s",
            environment=check_environment(self._profiles, folder="."),
            new_output=prefill_output,
        )
        try:
            with process:
                process.follow(
                    watch_writing(storage_class, progress), within_s=self._test_size // SLOWEST_B_PER_S + SPARE_S
                )
        finally:
            process.log.keep([object_name(PREFILL, storage_class)], keep_output=self._workspace.keep_output)
        require_written(process.log, where=storage_class, space=self._space, is_measured=measures_fio(self._profiles))
        return volume

    def _process(
        self,
        script: str,
        files: Sequence[str],
        *,
        label: str,
        folder: Path,
        runtime: str,
        environment: Mapping[str, str],
        new_output: Callable[[], Output],
    ) -> ProcessLoad:
        return ProcessLoad(
            ["sh", "-c", script, "load", *files],
            label=label,
            folder=folder,
            environment={"SIZE": str(self._test_size), "RUNTIME": runtime, **environment},
            new_output=new_output,
        )


def _on_the_same_disk(directory: str, directories: Sequence[str]) -> int:
    device = os.stat(directory).st_dev
    return sum(os.stat(path).st_dev == device for path in directories)


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write job files for the owner of the folder, who runs fio. With a umask of 077 only their owner can read them."""
    try:
        owner = folder.stat()
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
            if os.geteuid() == 0:
                os.chown(folder / name, owner.st_uid, owner.st_gid)
    except OSError as error:
        raise StorageFailure(f"{folder} cannot be written: {error}") from error
