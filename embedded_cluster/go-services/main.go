// Services and their names for an embedded cluster, in one binary: the name it is called by says which one runs.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubeproxy "k8s.io/kubernetes/cmd/kube-proxy/app"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "kube-proxy":
		os.Exit(cli.Run(kubeproxy.NewProxyCommand()))
	case "coredns":
		coremain.Run()
	default:
		fmt.Fprintf(os.Stderr, "%s: call this binary by the name of a component: kube-proxy or coredns\n", name)
		os.Exit(2)
	}
}
