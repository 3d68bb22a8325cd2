// Package view presents confighash's results in the forms of package report: Impact shows the effect of an apply, and
// Graph who uses which ConfigMap or Secret.
package view
