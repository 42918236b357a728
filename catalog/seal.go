// This file holds the digests by which a catalog can be proved to be what was
// compiled.

package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"reflect"
)

// DigestOf returns the SHA-256, in lower-case hexadecimal, of the lines
// "<digest>  <path>\n" of documents, which are sorted by path. It is how the digest of
// a catalog and of a skill is made of those of their files.
func DigestOf(documents []*Document) string {
	h := sha256.New()
	var line []byte
	for _, d := range documents {
		line = append(append(append(append(line[:0], d.Digest...), "  "...), d.Path...), '\n')
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SealOf returns the seal of a catalog: the SHA-256, in lower-case hexadecimal, of an
// encoding of everything that is reachable from it save its field Seal. Values that
// are deeply equal have one seal, and others have others. Because the values
// themselves are walked, no field can be forgotten.
//
// A seal shows an accident, such as a file of a program that lost a bit. It is no
// signature: who can change a catalog on purpose can seal it again.
func SealOf(c *Catalog) string { return Sums{}.Seal(c) }

// A Sum stands for a value in a seal: the SHA-256 of its encoding.
type Sum [sha256.Size]byte

// Sums knows the sums of values by the pointers to them: documents are reached by
// several ways, and most of a catalog is the same after an edit. No value may change
// while its sum is known.
type Sums map[any]Sum

// Seal is SealOf for a catalog some of whose sums may be known. It adds the others.
func (s Sums) Seal(c *Catalog) string {
	open := *c
	open.Seal = ""
	// That is about what the lists take, most of which are pointers and positions.
	room := 64 * (len(c.Prompts) + len(c.Documents) + len(c.Resources) + len(c.Skills))
	sum := s.sum(reflect.ValueOf(open), room)
	return hex.EncodeToString(sum[:])
}

// Of returns the sum of the value behind a pointer, which is a *Prompt, a *Skill or a
// *Document, and adds it and those of the values behind that one's pointers.
func (s Sums) Of(pointer any) Sum { return s.behind(reflect.ValueOf(pointer)) }

// behind returns the sum of the value behind a pointer that is not nil.
func (s Sums) behind(v reflect.Value) Sum {
	pointer := v.Interface()
	sum, ok := s[pointer]
	if !ok {
		sum = s.sum(v.Elem(), 0)
		s[pointer] = sum
	}
	return sum
}

// sum returns the sum of a value, whose encoding is expected to have some kilobytes and
// so many bytes more.
func (s Sums) sum(v reflect.Value, more int) Sum {
	return sha256.Sum256(s.append(make([]byte, 0, 8<<10+more), v))
}

// append appends the encoding of a value, in which a pointer is the sum of what is
// behind it. Distinct values of one type have distinct encodings.
func (s Sums) append(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		dst = binary.AppendUvarint(dst, uint64(v.Len()))
		return append(dst, v.String()...)
	case reflect.Bool:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(dst, v.Int())
	case reflect.Uint32:
		return binary.AppendUvarint(dst, v.Uint())
	case reflect.Slice:
		dst = binary.AppendUvarint(dst, uint64(v.Len()))
		for i := range v.Len() {
			dst = s.append(dst, v.Index(i))
		}
		return dst
	case reflect.Struct:
		for i := range v.NumField() {
			dst = s.append(dst, v.Field(i))
		}
		return dst
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, 0)
		}
		sum := s.behind(v)
		return append(append(dst, 1), sum[:]...)
	}
	panic("catalog: a seal of a " + v.Kind().String())
}
