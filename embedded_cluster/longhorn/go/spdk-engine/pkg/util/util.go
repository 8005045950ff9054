// Package util stops the daemon of the v2 data engine, of which there is none here.
package util

import "time"

// StopSPDKTgtDaemon has nothing to stop.
func StopSPDKTgtDaemon(time.Duration) error { return nil }
