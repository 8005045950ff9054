"""The lab's own CSI driver, for storage that does all that volumes can do, and gets it wrong when it is told to."""
