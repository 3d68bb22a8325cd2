// Package cluster runs the control plane of a Kubernetes cluster for tests, and reports which workloads a change
// rolled.
//
// It runs etcd, kube-apiserver and kube-controller-manager as processes on this machine, without nodes: the API server
// validates, defaults, merges and stores what kubectl sends, and the controllers create ReplicaSets,
// ControllerRevisions and Pods, which stay pending. That is everything about a rollout that can be seen without a
// kubelet.
//
//	c, err := cluster.Start(ctx, cluster.Options{Binaries: "bin/tools/kubernetes"})
//	defer c.Stop()
//	err = c.CreateNamespace(ctx, "shop")
//	result, err := c.Kubectl(ctx, manifests, "apply", "-n", "shop", "-f", "-")
//	before, err := c.Rollouts(ctx, "shop")
//	// … apply something else …
//	after, err := c.Rollouts(ctx, "shop")
//	for _, workload := range cluster.Rolled(before, after) {
//
// It has no scheduler, no kubelet and no service account tokens. Its only token may do everything and impersonate
// anybody, and only the tests know it. `make e2e-cluster` builds the three binaries that it needs and runs the tests.
package cluster
