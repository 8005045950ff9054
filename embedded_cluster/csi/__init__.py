"""The lab's own CSI driver: it supports all that volumes can do, and fails in the ways that tests request."""
