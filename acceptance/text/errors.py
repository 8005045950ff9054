"""The errors that end a session, each with the exit status it leads to."""

from acceptance.text.sanitizing import sanitize


class AcceptanceError(Exception):
    """Base of every error this project raises on purpose; never raised itself. Its text is fit to be shown."""

    exit_status: int = 1

    def __str__(self) -> str:
        return sanitize(super().__str__())


def notes_of(error: BaseException) -> list[str]:
    """Return the notes of an error: further faults during its handling, such as objects that could not be restored."""
    return list(getattr(error, "__notes__", ()))


def unforeseen(error: BaseException) -> str:
    """Return a sentence on an unexpected error, which is no fault of the storage."""
    return sanitize(
        f"{type(error).__name__}: {error}: an error of the suite or of its environment, not of the storage; please "
        "report it"
    )


class WrongUsage(AcceptanceError):
    """The options or the files given are wrong: nothing was measured, the user must change something."""

    exit_status: int = 4


class EnvironmentFailure(AcceptanceError):
    """The environment failed before the storage could be judged: no cluster, no image, no permission."""

    exit_status: int = 10


class StorageFailure(AcceptanceError):
    """The storage did not do what it must: a PVC that never binds, an I/O error, fio that died on it."""

    exit_status: int = 1


class Unsupported(StorageFailure):
    """The StorageClass, or where it is tested, cannot do what was requested: the test that needs it is skipped.

    A limit of such a test does not apply.
    """


class NotTried(Unsupported):
    """It could not be tried here, for want of consent, a driver or an image: nothing is known of the StorageClass.

    A limit of such a test applies, and was not judged.
    """
