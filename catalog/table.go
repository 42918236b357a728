// This file holds Table, the static index from names to positions.

package catalog

import "math/bits"

// A Table finds the position of a key in a list. It is an open-addressing hash
// table whose slots are laid out by the compiler: a map literal would need code
// at program start, a switch takes the Go compiler seconds, and a binary search
// misses the cache at each step.
type Table struct {
	// Keys are the keys by position.
	Keys []string
	// Slots has a power-of-two length, at least twice that of Keys. A slot is 0
	// where it is free, else the position plus one in its low 24 bits and eight
	// bits of the key's hash above them.
	Slots []uint32
}

const (
	positionBits = 24
	positionMask = 1<<positionBits - 1
)

// MaxKeys is how many keys a Table can hold.
const MaxKeys = positionMask

// NewTable returns the table over keys, which must be distinct and at most
// MaxKeys. The result depends on the keys and their order alone.
func NewTable(keys []string) Table {
	if len(keys) == 0 {
		return Table{}
	}
	size := 4
	for size < 2*len(keys) {
		size *= 2
	}
	t := Table{Keys: keys, Slots: make([]uint32, size)}
	for i, key := range keys {
		h := hash(key)
		at := int(h) & (size - 1)
		for t.Slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		t.Slots[at] = uint32(i+1) | uint32(h>>(64-32+positionBits))<<positionBits
	}
	return t
}

// Find returns the position of key.
func (t Table) Find(key string) (position int, ok bool) {
	if len(t.Slots) == 0 {
		return 0, false
	}
	h := hash(key)
	mark := uint32(h>>(64-32+positionBits)) << positionBits
	mask := len(t.Slots) - 1
	for at := int(h) & mask; ; at = (at + 1) & mask {
		slot := t.Slots[at]
		if slot == 0 {
			return 0, false
		}
		if slot&^uint32(positionMask) == mark {
			if i := int(slot&positionMask) - 1; t.Keys[i] == key {
				return i, true
			}
		}
	}
}

// hash mixes eight bytes at a time. It is part of the emitted format: a change
// makes every generated package stale, and needs a new emit.Version.
func hash(s string) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(s)) * k0
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = fold(h^w, k1)
		s = s[8:]
	}
	var w uint64
	for i := len(s) - 1; i >= 0; i-- {
		w = w<<8 | uint64(s[i])
	}
	return fold(fold(h^w, k0), k1)
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
