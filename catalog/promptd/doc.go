// Package promptd is the release server as a library: what a program needs to serve a
// compiled catalog to clients of the Model Context Protocol.
//
// A [Front] has the flags and environment variables of a server, which say how clients
// reach it and who of them is let in, and serves a [Content] accordingly. It listens
// to signals: SIGTERM and SIGINT let the requests under way end, SIGHUP reads the files
// of the settings again.
package promptd
