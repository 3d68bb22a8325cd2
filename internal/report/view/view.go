// Package view presents what confighash finds out about manifests in the shapes of
// package report: Impact says what an apply does, and Graph who uses which ConfigMap or
// Secret.
package view
