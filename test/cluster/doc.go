// Package cluster runs the control plane of a Kubernetes cluster for tests, and
// says which workloads a change rolled.
//
// It is etcd, kube-apiserver and kube-controller-manager as processes on this
// machine, without nodes: the API server validates, defaults, merges and stores
// what kubectl sends to it, and the controllers make ReplicaSets,
// ControllerRevisions and Pods, which stay pending. That is all there is to see
// of a rollout before a kubelet comes in.
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
// It has neither scheduler nor kubelet, nor tokens of service accounts. Its one token
// may do everything and act as anybody else, and only the tests know it.
// `make e2e-cluster` builds the three binaries that it needs and runs the tests.
package cluster
