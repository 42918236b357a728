// This file finds what was renamed: what is gone and what is new that have nearly
// the same text.

package breaking

import (
	"hash/maphash"
	"slices"
	"strings"
)

const (
	// alike is how much two texts must have in common, of what they have in all, to
	// be taken for one.
	alike = 0.8
	// fewWords is how many words a text must have to be compared by them; shorter
	// ones are alike only if they are equal.
	fewWords = 8
	// maxCompared is how many words are compared at most, of all pairs of texts, which
	// takes a second or two; beyond, only equal texts are found.
	maxCompared = 500_000_000
)

// A candidate is something that is gone, or something that is new.
type candidate struct{ id, text string }

// renames pairs what is gone with what is new, each at most once: first what has the
// same text, then what has nearly the same. It returns the new ids by the old ones.
// Empty texts are like nothing.
func renames(gone, added []candidate) map[string]string {
	pairs := map[string]string{}
	byText := map[string][]string{}
	for _, a := range added {
		if strings.TrimSpace(a.text) != "" {
			byText[a.text] = append(byText[a.text], a.id)
		}
	}
	taken := map[string]bool{}
	for _, g := range gone {
		if ids := byText[g.text]; len(ids) > 0 {
			pairs[g.id], taken[ids[0]] = ids[0], true
			byText[g.text] = ids[1:]
		}
	}
	gone = slices.DeleteFunc(slices.Clone(gone), func(g candidate) bool { return pairs[g.id] != "" })
	added = slices.DeleteFunc(slices.Clone(added), func(a candidate) bool { return taken[a.id] })
	seed := maphash.MakeSeed()
	goneWords, goneTotal := allWords(seed, gone)
	addedWords, addedTotal := allWords(seed, added)
	if int64(len(gone))*int64(addedTotal)+int64(len(added))*int64(goneTotal) > maxCompared {
		return pairs
	}
	for n, g := range gone {
		best, most := -1, 0.0
		for i, a := range added {
			if s := similarity(goneWords[n], addedWords[i]); !taken[a.id] && s >= alike && s > most {
				best, most = i, s
			}
		}
		if best >= 0 {
			pairs[g.id] = added[best].id
			taken[added[best].id] = true
		}
	}
	return pairs
}

// allWords returns what wordsOf returns for each text, and how many words there are.
func allWords(seed maphash.Seed, list []candidate) (words [][]uint64, total int) {
	for _, c := range list {
		w := wordsOf(seed, c.text)
		words = append(words, w)
		total += len(w)
	}
	return words, total
}

// wordsOf returns the hashes of a text's words, sorted.
func wordsOf(seed maphash.Seed, text string) []uint64 {
	var words []uint64
	for word := range strings.FieldsSeq(text) {
		words = append(words, maphash.String(seed, word))
	}
	slices.Sort(words)
	return words
}

// similarity returns twice the words that two texts have in common, by all words of
// both: 1 for the same words, 0 for none in common. Texts of few words have none.
func similarity(a, b []uint64) float64 {
	all := float64(len(a) + len(b))
	if min(len(a), len(b)) < fewWords || 2*float64(min(len(a), len(b)))/all < alike {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / all
}
