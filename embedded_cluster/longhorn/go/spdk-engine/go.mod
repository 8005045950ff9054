// In the place of the v2 data engine's module, which the Go module proxy does not serve: the words that the instance
// manager needs to be compiled, each of which answers that there is no such engine here. v1, which is used, has none of it.
module github.com/longhorn/longhorn-spdk-engine

go 1.24.0

require github.com/longhorn/types v0.0.0-20250915085125-0638a2eac534
