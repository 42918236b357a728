// Package parse turns one file's bytes into one positioned [File].
//
// It knows what can be told from a file alone: its encoding, its frontmatter, the
// types of its values, the placeholders and messages of a prompt's body, the links
// and the first heading of a Markdown text. Whatever it finds wrong it adds to the
// file's diagnostics and goes on, so that one run shows every fault; but after a
// fault in the frontmatter nothing is guessed from it, and File.Front is nil.
//
// No input makes it panic, and every place that it names lies inside the file.
//
// It is the only package that knows yaml.v3, whose errors have no column, and at
// times no line or a wrong one. syntax.go finds the true place by asking yaml.v3
// itself: the shortest prefix of the text at which it fails ends at the fault.
package parse
