// Package diag is how the compiler speaks of faults: sources, places in them,
// diagnostics, and their printing.
//
// A [Source] is a file's text after its encoding was made plain. A [Span] is a
// range of bytes in it; lines and columns are worked out only when something is
// printed, so that there is one place where they can be wrong. Lines and columns
// count from 1, columns in runes.
//
// A [Diagnostic] says what is wrong, where, and what to do. It is a fault, unless its
// [Severity] makes it a warning. Diagnostics are
// collected in a [List], which sorts them by file, line and column; [Write] prints
// a list as text, JSON, GitHub annotations or SARIF.
//
// The package depends on the standard library alone.
package diag
