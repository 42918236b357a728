// This file holds the contents that a message can have besides text. Compiled
// prompts have text alone; prompts written in Go may have any of these.

package catalog

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A Content is what a message holds in the place of text (MCP 2026-07-28,
// "Prompts", section "Content types"): an Image, Audio, an Embedded resource or a
// Link to one.
type Content interface {
	// appendJSON appends the content block.
	appendJSON(dst []byte) []byte
	// check says what is wrong with the content.
	check() error
	// String describes the content in a few words.
	String() string
}

// An Image is a picture.
type Image struct {
	Data []byte
	// MIMEType is required, such as "image/png".
	MIMEType string
}

// Audio is a sound.
type Audio struct {
	Data []byte
	// MIMEType is required, such as "audio/wav".
	MIMEType string
}

// Embedded is a resource that is sent along with the message: Blob where it is not
// nil, else Text.
type Embedded struct {
	URI      string
	MIMEType string // may be empty
	Text     string
	Blob     []byte
}

// A Link names a resource that the client can read if it wants to.
type Link struct {
	URI, Name          string // required
	Title, Description string // may be empty
	MIMEType           string // may be empty
}

// String describes the picture in a few words.
func (c Image) String() string { return described("image", c.MIMEType, len(c.Data)) }

// String describes the sound in a few words.
func (c Audio) String() string { return described("audio", c.MIMEType, len(c.Data)) }

// String describes the resource in a few words.
func (c Embedded) String() string {
	return described("resource "+c.URI, c.MIMEType, len(c.Text)+len(c.Blob))
}

// String describes the link in a few words.
func (c Link) String() string { return "link to " + c.URI }

func described(what, mimeType string, size int) string {
	if mimeType != "" {
		what += ", " + mimeType
	}
	return what + ", " + strconv.Itoa(size) + " bytes"
}

func (c Image) check() error { return checkMedia("an image", c.Data, c.MIMEType) }
func (c Audio) check() error { return checkMedia("audio", c.Data, c.MIMEType) }

func checkMedia(what string, data []byte, mimeType string) error {
	switch {
	case mimeType == "":
		return fmt.Errorf("%s has no MIME type", what)
	case len(data) == 0:
		return fmt.Errorf("%s has no data", what)
	}
	return checkTexts(mimeType)
}

func (c Embedded) check() error {
	switch {
	case c.URI == "":
		return fmt.Errorf("an embedded resource has no URI")
	case c.Blob != nil && c.Text != "":
		return fmt.Errorf("the embedded resource %q has both text and a blob", c.URI)
	}
	return checkTexts(c.URI, c.MIMEType, c.Text)
}

func (c Link) check() error {
	if c.URI == "" || c.Name == "" {
		return fmt.Errorf("a link has no URI or no name")
	}
	return checkTexts(c.URI, c.Name, c.Title, c.Description, c.MIMEType)
}

func checkTexts(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return fmt.Errorf("a text is not valid UTF-8")
		}
	}
	return nil
}

func (c Image) appendJSON(dst []byte) []byte { return appendMedia(dst, "image", c.Data, c.MIMEType) }
func (c Audio) appendJSON(dst []byte) []byte { return appendMedia(dst, "audio", c.Data, c.MIMEType) }

func appendMedia(dst []byte, kind string, data []byte, mimeType string) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","data":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, data)
	dst = append(dst, `","mimeType":`...)
	dst = AppendJSON(dst, mimeType)
	return append(dst, '}')
}

func (c Embedded) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"resource","resource":`...)
	dst = c.AppendContents(dst)
	return append(dst, '}')
}

// AppendContents appends the resource as resources/read answers it (MCP
// 2026-07-28, "TextResourceContents" and "BlobResourceContents").
func (c Embedded) AppendContents(dst []byte) []byte {
	dst = append(dst, `{"uri":`...)
	dst = AppendJSON(dst, c.URI)
	dst = appendOptional(dst, "mimeType", c.MIMEType)
	if c.Blob != nil {
		dst = append(dst, `,"blob":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, c.Blob)
		return append(dst, `"}`...)
	}
	dst = append(dst, `,"text":`...)
	dst = AppendJSON(dst, c.Text)
	return append(dst, '}')
}

func (c Link) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"resource_link","uri":`...)
	dst = AppendJSON(dst, c.URI)
	dst = append(dst, `,"name":`...)
	dst = AppendJSON(dst, c.Name)
	dst = appendOptional(dst, "title", c.Title)
	dst = appendOptional(dst, "description", c.Description)
	dst = appendOptional(dst, "mimeType", c.MIMEType)
	return append(dst, '}')
}

// appendOptional appends a member of an object that already has one, unless its
// value is empty.
func appendOptional(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(dst, `,"`...)
	dst = append(dst, key...)
	dst = append(dst, `":`...)
	return AppendJSON(dst, value)
}

// check says what is wrong with a message that a program made.
func (m *Message) check() error {
	switch {
	case m.Role != User && m.Role != Assistant:
		return fmt.Errorf("a message has the role %q; MCP knows %q and %q", m.Role, User, Assistant)
	case m.Content == nil:
		return checkTexts(m.Text)
	case m.Text != "":
		return fmt.Errorf("a message has both a text and other content: make it two messages")
	}
	return m.Content.check()
}

// CheckMessages says what is wrong with messages that a program made, such as a
// Repository's: there must be one at least, each with a role and a content that
// MCP knows. The error is for the program's makers, not for its clients.
func CheckMessages(messages []Message) error {
	if len(messages) == 0 {
		return fmt.Errorf("a prompt rendered to no message")
	}
	for i := range messages {
		if err := messages[i].check(); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return nil
}

// AppendJSON appends the message as MCP has it ("PromptMessage").
func (m *Message) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"`...)
	dst = append(dst, m.Role...)
	dst = append(dst, `","content":`...)
	return append(m.AppendContent(dst), '}')
}

// AppendContent appends what the message holds as MCP has it ("ContentBlock").
func (m *Message) AppendContent(dst []byte) []byte {
	if m.Content != nil {
		return m.Content.appendJSON(dst)
	}
	dst = append(dst, `{"type":"text","text":`...)
	return append(AppendJSON(dst, m.Text), '}')
}
