"""Ceph itself, Debian's, as plain processes next to a cluster: docs/embedded-ceph.md."""
