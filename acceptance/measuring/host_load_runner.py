"""The bench of a host: directories for volumes, load run by processes of this host."""

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
        """What is loaded."""
        return str(self.folder / TEST_FILE)


class HostLoadRunner:
    """Implements `Bench`; a StorageClass is the path of a directory of the workspace.

    `wanted` are all profiles that may be run; `test_size` in bytes.
    """

    def __init__(self, workspace: HostWorkspace, *, wanted: Sequence[Profile], test_size: int) -> None:
        self._workspace = workspace
        self._wanted = wanted
        self._test_size = test_size
        self._needed = space_needed(wanted, test_size=test_size)

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        """See `Bench`. The files are written one after the other; there is no other node than this host.

        Errors: WrongUsage for a profile that fio rejects, StorageFailure when there is too little space or the file
        cannot be written, EnvironmentFailure when the disk would be nearly full.
        """
        found: dict[str, PreparedVolume | AcceptanceError] = {}
        for storage_class in storage_classes:
            try:
                together = _on_the_same_disk(storage_class, storage_classes)
                found[storage_class] = self._lay_out(storage_class, progress, together=together)
            except AcceptanceError as error:
                found[storage_class] = error
        return found

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        """See `Bench`. One process runs the load of all the volumes."""
        volumes = [volume for volume in load.volumes if isinstance(volume, HostVolume)]
        within_s = longest_s(load) + SPARE_S
        process = self._process(
            load_script(commands(load.profile)),
            [volumes[place].test_file for place in load.order],
            what=f"the load {load.name}",
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
        require_success(load, process.log, stopped=enough)
        return process.log.taken(samples, pod=f"process {process.pid}", node=volumes[0].node)

    def _lay_out(self, storage_class: str, progress: Preparing, *, together: int) -> HostVolume:
        """Write the test file in full; `together`: how many of the directories lie on the same disk."""
        folder = self._workspace.folder(storage_class)
        volume = HostVolume(storage_class=storage_class, node=host_name(), test_size=self._test_size, folder=folder)
        profiles = {profile.path.name: profile.text for profile in self._wanted}
        _write(folder, profiles | {PREFILL_FILE: prefill_text()})
        check = check_script(self._wanted, needed=self._needed, together=together, claimed=None)
        process = self._process(
            load_script(f'{FIO} "{PREFILL_FILE}"', check=check),
            [volume.test_file],
            what=f"writing the test file in {storage_class}",
            folder=folder,
            runtime="1s",
            environment=check_environment(self._wanted, folder="."),
            new_output=prefill_output,
        )
        try:
            with process:
                process.follow(
                    watch_writing(storage_class, progress), within_s=self._test_size // SLOWEST_B_PER_S + SPARE_S
                )
        finally:
            process.log.keep([object_name(PREFILL, storage_class)], keep_output=self._workspace.keep_output)
        require_written(process.log, where=storage_class, needed=self._needed, measured=measures_fio(self._wanted))
        return volume

    def _process(
        self,
        script: str,
        files: Sequence[str],
        *,
        what: str,
        folder: Path,
        runtime: str,
        environment: Mapping[str, str],
        new_output: Callable[[], Output],
    ) -> ProcessLoad:
        return ProcessLoad(
            ["sh", "-c", script, "load", *files],
            what=what,
            folder=folder,
            environment={"SIZE": str(self._test_size), "RUNTIME": runtime, **environment},
            new_output=new_output,
        )


def _on_the_same_disk(directory: str, directories: Sequence[str]) -> int:
    device = os.stat(directory).st_dev
    return sum(os.stat(each).st_dev == device for each in directories)


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
