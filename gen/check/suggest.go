// This file finds the name that somebody may have meant.

package check

// Suggest returns the candidate that is closest to a word, or the empty text where
// none is close. Equally close ones are settled by their order.
func Suggest(word string, candidates []string) string {
	best, closest := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, c, closest); d < closest {
			best, closest = c, d
		}
	}
	return best
}

// A guesser is Suggest until that has taken long enough: there may be very many unknown
// words, and very many known ones.
type guesser struct {
	// left is how many pairs of bytes it may yet compare.
	left int
}

// Budgets of guessers: for all of one file or skill, and for all of a catalog.
const (
	fileGuesses    = 1_000_000
	catalogGuesses = 100_000_000
)

func (g *guesser) suggest(word string, candidates []string) string {
	for _, c := range candidates {
		g.left -= len(word) * len(c)
	}
	if g.left < 0 {
		return ""
	}
	return Suggest(word, candidates)
}

// didYouMean is the help for an unknown word, or other where nothing is close.
func (g *guesser) didYouMean(word string, candidates []string, other string) string {
	if s := g.suggest(word, candidates); s != "" {
		return `did you mean "` + s + `"?`
	}
	return other
}

// distance counts the insertions, deletions, replacements and swaps of neighbours
// that turn a into b; limit is enough of an answer.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	rows := make([]int, 3*(len(b)+1))
	before, row, next := rows[:len(b)+1], rows[len(b)+1:2*(len(b)+1)], rows[2*(len(b)+1):]
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// didYouMean is the help for an unknown word, or other where nothing is close.
func didYouMean(word string, candidates []string, other string) string {
	g := guesser{fileGuesses}
	return g.didYouMean(word, candidates, other)
}
