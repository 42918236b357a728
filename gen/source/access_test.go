// This file tests what a token is taken for.

package source

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestUserInVariable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ user, value, want string }{
		{"", "token", "x-access-token:token"},
		{"", "me:token", "me:token"},
		{"", "me:to:ken", "me:to:ken"},
		{"", ":token", "x-access-token:token"},
		{"", "token:", "token:"},
		{"me@", "token", "me:token"},
		{"me@", "to:ken", "me:to:ken"},
	} {
		repository, err := parseRepository("https://" + test.user + "example.com/team")
		if err != nil {
			t.Fatal(err)
		}
		a, err := newAccess(repository, variable, func(string) string { return test.value })
		if err != nil {
			t.Errorf("%q: %v", test.value, err)
			continue
		}
		encoded, _ := strings.CutPrefix(a.header, "Authorization: Basic ")
		if got, err := base64.StdEncoding.DecodeString(encoded); string(got) != test.want {
			t.Errorf("%q beside the user %q is %q, %v", test.value, test.user, got, err)
		}
	}
}

// TestScrubUser has a user name that is a part of the token, and one that is the token.
func TestScrubUser(t *testing.T) {
	t.Parallel()
	repository, err := parseRepository("https://example.com/team")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"s3:" + token, token + ":x", token + ":", token + ":" + token, "a:" + token} {
		a, err := newAccess(repository, variable, func(string) string { return value })
		if err != nil {
			t.Fatal(err)
		}
		user, _, _ := strings.Cut(value, ":")
		for _, form := range append(forms(user), value, base64.StdEncoding.EncodeToString([]byte(value))) {
			if got := a.scrub("it says " + form + " and no more"); strings.Contains(got, form) || strings.Contains(got, "cr3t") {
				t.Errorf("of %q stays %q", value, got)
			}
		}
	}
}
