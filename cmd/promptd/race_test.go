// This file tells tests that they run under the race detector.

//go:build race

package main

const underRace = true
