// Package types has the words in which the v2 data engine would tell how far its replicas are.
package types

// Mode of a replica.
type Mode string

const (
	ModeRW  = Mode("RW")
	ModeWO  = Mode("WO")
	ModeERR = Mode("ERR")
)

// ProgressStateInProgress is the state of a rebuild that goes on.
const ProgressStateInProgress = "in_progress"
