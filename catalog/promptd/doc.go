// Package promptd is the release server as a library: a program with a catalog compiled
// in has one line of its own.
//
//	func main() { os.Exit(promptd.Main("team-prompts", prompts.Catalog)) }
//
// Such a program does all that promptd does, under its own name; the manual is that of
// cmd/promptd. Its environment variables start with PROMPTD_ whatever its name.
//
// Programs that serve what is not compiled in have a part of it: a [Front] holds the
// flags and environment variables of a server, which say how clients reach it and who of
// them is let in, and serves a [Content] accordingly. It listens to signals: SIGTERM and
// SIGINT let the requests under way end, SIGHUP reads the files of the settings again.
package promptd
