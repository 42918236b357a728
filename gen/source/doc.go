// Package source brings content from git repositories into a cache of plain files, and
// hands out trees of it.
//
// A [Source] follows one branch of a repository. [Source.Snapshot] returns the newest
// tree as an [io/fs.FS], which stays as it is until the [Snapshot] is closed; it asks the
// repository only when what is cached is older than the source's TTL, or when it is told
// to. [Source.Resolve] returns one commit, for those who copy content and want exactly
// that or an error.
//
// # What may go wrong
//
// Content that was fetched once is served whatever happens to the repository, the
// network or the disk: Snapshot.Stale then says why it is old. Only where nothing is
// cached is that an error. What failed is tried again by later calls, at growing
// intervals. Every message names the source and the repository, says what is wrong and
// what to do, and holds no token, password or path of this machine.
//
// # How it fetches
//
// With the command line of git, which must be 2.31 or newer, over https:// or from
// file://. First git ls-remote tells the branch's commit; if that is the cached one, that
// is all. Else git fetches this commit alone into an empty bare repository, which is
// removed afterwards. Paths, modes, sizes and the number of files are looked at before
// anything is written; then the files are written by this package and not by git. So no
// hook runs, no filter of attributes (Git LFS, export-ignore, line ends) applies, and
// every file is byte for byte what was committed.
//
// Not served are symbolic links and submodules, whose paths a Snapshot lists, and files
// that start with a dot or lie in a directory that does. A path that not every system
// can hold, such as one with a backslash, fails the fetch.
//
// Git runs with an environment that is made for it. Of the user's, it gets PATH, the
// variables of proxies (http_proxy, https_proxy, no_proxy, in capitals too) and those
// of certificates (SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO). Nobody's configuration,
// credential helper or .netrc is read, and nobody is asked for a password. It is killed,
// with all that it started, when it takes longer than a minute, or downloads too much.
//
// # Tokens
//
// A token stands in an environment variable, which Settings.Token names, and is read at
// each fetch. It reaches git in its environment alone, as a header for the repository's
// own host: it is in no file, argument, log or message, and redirects are not followed
// where there is one. Beside it goes the user name of the repository's URL. Where that has
// none, the variable may hold USER:TOKEN; else the name is x-access-token, which suits
// GitHub and servers that look at the token only.
//
// # The cache
//
// It is made of directories that only their user may read, one for each repository,
// branch and path. Several processes may share it: one of them fetches at a time, and a
// tree is not removed while any has it open. A process can be killed at any moment: what
// it had not finished is removed by the next that fetches. A tree that was damaged since
// it was written is not served, but fetched again.
package source
