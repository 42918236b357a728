// Package dist makes what is released of a server that has a catalog compiled in: the
// program for each platform, in archives, MCP bundles and an OCI image, with a bill of
// materials, checksums and an entry for the MCP registry.
//
// # One digest
//
// Everything that is made names the digest of one catalog, the one that was compiled
// from the content. Make proves that it is also the one in the programs: each holds the
// digest, and the one that this machine can run is asked for it.
//
// # Made again
//
// The same commit gives the same bytes, on any machine, at any path and time. The go
// command is told everything that changes what it makes; what the machine or its user
// set for that is not heard, save where modules come from. No file holds a time but
// that of SOURCE_DATE_EPOCH (reproducible-builds.org), an owner, a mode that the umask
// shaped, or an order of the file system. Texts go into archives with newlines as line
// ends, whatever the checkout made of them. What depends on more than the commit is said
// on the command line, such as the commit's own name. The version of Go is not pinned:
// the module's toolchain line does that.
package dist
