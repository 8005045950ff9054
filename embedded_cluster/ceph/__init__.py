"""Ceph itself, Debian's, as plain processes beside a cluster: docs/embedded-ceph.md."""
