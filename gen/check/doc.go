// Package check brings the files of a content tree together into a [Program], or
// says everything that keeps them from being one.
//
// [Arrange] decides, from the paths alone, what each file of the tree is read as,
// and reports the ones that lie where nothing reads them. [Trees] takes the parsed
// files and checks what the content contract asks of each and of all together:
// fields, placeholders, references, links, dependencies, URIs, and the Go names
// that the generated package will have. All faults are found in one run; a fault in
// one file keeps no other file from being checked, and no fault is reported that
// only follows from another.
//
// There may be several trees, of several layouts: the built-in one, and those of
// teams. A prompt or skill is checked by itself first, and what becomes of it is
// remembered with its files; then all are merged by precedence and checked together.
// From there on nothing tells a prompt of one layout from one of another: each has the
// path in the catalog that it would have in the built-in tree.
//
// The names of the rules are those of the contract.
package check
