package main

import "strings"

// options reads `--name value`, `-n value` and lone `--name`, as tgtadm and iscsiadm are called by Longhorn.
func options(words []string) map[string]string {
	found := map[string]string{}
	for i := 0; i < len(words); i++ {
		if !strings.HasPrefix(words[i], "-") {
			continue
		}
		if i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			found[words[i]] = words[i+1]
			i++
		} else {
			found[words[i]] = ""
		}
	}
	return found
}

// setting finds `name=value` in a list with `separator`, such as the backing store's options.
func setting(list, separator, name string) (string, bool) {
	for _, each := range strings.Split(list, separator) {
		if value, found := strings.CutPrefix(each, name+"="); found {
			return value, true
		}
	}
	return "", false
}
