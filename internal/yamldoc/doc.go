// Package yamldoc reads YAML documents: [Parser] makes trees of them, [Each] and
// [Get] read mappings with aliases followed and merge keys applied, and [Path]
// names a place in a tree. A [Budget] bounds the work that aliases can ask for.
package yamldoc
