// This file tells tests that they run without the race detector.

//go:build !race

package main

const underRace = false
