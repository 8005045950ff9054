"""File permissions between nodes: a user whom one node refuses is refused on another, too, and changes show there."""

from __future__ import annotations

import re

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, shared_claim, wait_said, within_s
from acceptance.trials.lua_program import SAYS

GROUP, MEMBER, STRANGER = 54331, 54332, 54333
"""A group, a user who is in it, and a user who is not; nothing else has these numbers."""

KEEPS_NONE = ("Operation not permitted", "Operation not supported", "Not supported", "Function not implemented")
"""Errors of chmod and chgrp on a file system without owners and permissions (EPERM, ENOTSUP, ENOSYS of glibc and musl);
other errors are failures of one that has them."""

# The owner is in the group, so the pod needs no privilege of root to give it a file.
_MAKE = """
cd "$VOLUME" && umask 077 && echo "$MARK" > private && echo "$MARK" > shared && sync private shared && echo made || exit
chmod 600 private && chgrp "$GROUP" shared && chmod 640 shared && sync private shared || exit
ls -ln private shared
"""
_CHANGE = 'cd "$VOLUME" && chmod 644 private && chmod 600 shared && sync private shared'
# Prints which of both files a user may read, at first and after each change.
_LOOK = """
cd "$VOLUME" || exit
may() { [ "$(cat "$1" 2> /dev/null)" = "$MARK" ] && echo reads || { [ -e "$1" ] && echo refused || echo unseen; }; }
waited=0 last=
while [ "$waited" -le "$SECONDS_TO_LOOK" ]; do
  now="$(may private) $(may shared)"
  case $now in *unseen*) [ "$waited" -lt "$SECONDS_LEFT" ];; *) false;; esac || [ "$now" = "$last" ] || echo "$SAYS$now"
  case $now in *unseen*) ;; *) last=$now;; esac
  sleep 1
  waited=$((waited + 1))
done
"""
_OWNERS = re.compile(r"^-\S+ +\d+ +(\d+) +(\d+) .* (private|shared)$", re.MULTILINE)


@Tries("file-permissions", "File permissions by user and group hold on other nodes (RWX)", pods=4, two_nodes=True)
def try_rights(bench: Bench) -> str:
    """Verify that file permissions hold on other nodes, and return what was observed.

    Raises Unsupported if the class has no such volumes or keeps no owners, or if pods may not choose their users,
    StorageFailure if a user can read a file without permission, or cannot read a file with permission.
    """
    if (owner := bench.workspace.pods.user) is None:
        raise bench.not_tried("the cluster assigns the users of pods, and no pod may request another")
    claim, mark = shared_claim(bench, "rights"), new_mark()
    maker = bench.start_as(claim, _MAKE, user=None, groups=(GROUP,), node=None, MARK=mark, GROUP=str(GROUP))
    second_node = another_node(bench, claim)
    _require_owned(bench, maker, owner=owner)
    about = f"on a volume of StorageClass {bench.storage_class.name}, files of a user on {bench.node}"
    member = _look(bench, claim, second_node, user=MEMBER, groups=(GROUP,), mark=mark)
    stranger = _look(bench, claim, second_node, user=STRANGER, groups=(), mark=mark)
    for subject, plan, expected_answers in (
        ("a user in the group of the file of mode 0640", member, ["refused", "reads"]),
        ("a user outside the group of the file of mode 0640", stranger, ["refused", "refused"]),
    ):
        answers = wait_said(bench, plan, f"{subject} to check the files on another node", ready=bool)[0]
        if answers != expected_answers:
            raise StorageFailure(
                f"{about}: on {second_node}, {subject} {_in_words(answers)}; expected on every node: the user "
                f"{_in_words(expected_answers)}"
            )
    changer = bench.start_as(claim, _CHANGE, user=None, groups=(GROUP,), node=None)
    wait_ended(bench.api, changer, timeout_s=bench.timeout_s)
    wait_said(
        bench,
        member,
        f"the new permissions of files on {bench.node} (0644 and 0600) to appear on {second_node}",
        ready=lambda lines: lines[-1] == ["reads", "refused"],
        timeout_s=within_s(bench),
    )
    return (
        f"files of a user on {bench.node}: on {second_node}, no other user could read a file of mode 0600, only "
        "members of its group could read a file of mode 0640, and new permissions took effect"
    )


def _look(bench: Bench, claim: Claim, node: str, *, user: int, groups: tuple[int, ...], mark: str) -> PodPlan:
    """Start a pod of that user, which checks the files until it is ended.

    Raises Unsupported if the cluster lets no pod run as that user.
    """
    # Two more pods start meanwhile, one after the other.
    look_s = 2 * int(bench.timeout_s) + 2 * within_s(bench)
    try:
        return bench.start_as(
            claim,
            _LOOK,
            node=node,
            user=user,
            groups=groups,
            MARK=mark,
            SAYS=SAYS,
            SECONDS_LEFT=str(within_s(bench)),
            SECONDS_TO_LOOK=str(look_s),
        )
    except ApiError as error:
        if error.status != 403:
            raise
        raise bench.not_tried(f"the cluster lets no pod run as user {user}: {error.message}") from None


def _require_owned(bench: Bench, maker: PodPlan, *, owner: int) -> None:
    """Raise Unsupported if files do not belong to their creator: permissions by user mean nothing there, visibly."""
    wait_ended(bench.api, maker, timeout_s=bench.timeout_s)
    output, name = bench.output_of(maker), bench.storage_class.name
    owners = {file: (int(user), int(group)) for user, group, file in _OWNERS.findall(output)}
    if owners.keys() != {"private", "shared"}:
        before, _, after = output.partition("made\n")
        problem = (
            f"on a volume of StorageClass {name} file permissions cannot be set: {(after or before).strip()[-200:]}"
        )
        raise bench.missing(problem) if any(message in after for message in KEEPS_NONE) else StorageFailure(problem)
    if {user for user, _ in owners.values()} != {owner} or owners["shared"][1] != GROUP:
        raise bench.missing(
            f"a file that user {owner} created on a volume of StorageClass {name} and gave to group {GROUP} belongs to "
            f"user {owners['shared'][0]} and group {owners['shared'][1]}: the storage keeps no owners"
        )


def _in_words(words: list[str]) -> str:
    private, common = ({"reads": "reads", "refused": "may not read", "unseen": "does not see"}[word] for word in words)
    return f"{private} the file of mode 0600 and {common} the file of mode 0640"
