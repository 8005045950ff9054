module storage-acceptance/embedded/longhorn/adaptor

go 1.24.0

require golang.org/x/sys v0.36.0
