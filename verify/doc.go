// Package verify finds the checks a project has (its build, its vet, its
// tests), runs them over a snapshot or a draft, and turns what they print into
// findings with places in the real workspace.
//
// Start at [Detect] for the list of checks, which a caller shows and asks
// consent for, and at [Run], which runs them and returns a [Report]. Running a
// check runs the workspace's own code: this package never asks whether it may,
// the caller has asked.
//
// A tool chain is one small file: a detector that names its checks and a
// parser that reads their output line by line, both entered in one table (see
// toolchains). The package may not know LSP, models, or what to do about a
// finding.
package verify
