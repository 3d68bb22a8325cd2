// Package yamldoc reads YAML documents. [Parser] parses them, [Each] and [Get] read mappings with aliases and merge
// keys resolved, and [Path] names a place in a tree. A [Budget] bounds the work that aliases can cause.
package yamldoc
