package main

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const tokenPrefix = "after:"

// page gives the ids, in their order, that follow the token, `most` at most (0: all), and the token of the next page. A token
// names the last id of its page, which may be gone meanwhile: no other id is passed over or given twice for that.
func page(ids []string, token string, most int32) ([]string, string, error) {
	if most < 0 {
		return nil, "", status.Errorf(codes.InvalidArgument, "max_entries is %d", most)
	}
	ids = slices.Sorted(slices.Values(ids))
	if token != "" {
		last, found := strings.CutPrefix(token, tokenPrefix)
		if !found {
			return nil, "", status.Errorf(codes.Aborted, "starting_token %q is none of this driver's", token)
		}
		first, _ := slices.BinarySearchFunc(ids, last, func(id, last string) int {
			if id <= last {
				return -1
			}
			return 1
		})
		ids = ids[first:]
	}
	if most == 0 || len(ids) <= int(most) {
		return ids, "", nil
	}
	ids = ids[:most]
	return ids, tokenPrefix + ids[most-1], nil
}
