package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// statusFault is the *Error for a reply that is not a success.
func (x *exchange) statusFault(resp *http.Response, body []byte) *Error {
	said := parseErrorBody(body)
	text := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if said.message != "" {
		text += ": " + brief(said.message)
	}
	kind, remedy := x.judge(resp.StatusCode, said)
	switch {
	case resp.StatusCode < 400:
		kind, remedy = BadReply, "set model.base_url to where the server really is; redirects are not followed"
		if to, err := url.Parse(resp.Header.Get("Location")); err == nil && to.Host != "" {
			text += " to " + to.Host
		}
	case isHTML(resp) && resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests:
		kind, remedy = BadReply, x.addressRemedy()
		text = fmt.Sprintf("%d %s, and a web page", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return x.newFault(kind, text, remedy, nil)
}

// reported is the *Error for an error object within a reply.
func (x *exchange) reported(raw json.RawMessage) *Error {
	said := parseErrorBody([]byte(`{"error":` + string(raw) + `}`))
	kind, remedy := Failed, ""
	if said.status >= 400 || tooLong(said) {
		kind, remedy = x.judge(said.status, said)
	}
	return x.newFault(kind, "the server reports: "+brief(said.message), remedy, nil)
}

// judge sorts an error by status and by what the server says.
func (x *exchange) judge(status int, said errorBody) (Kind, string) {
	lower := strings.ToLower(said.message)
	switch {
	case status == http.StatusRequestEntityTooLarge, tooLong(said):
		return TooLong, "raise model.num_ctx if the model allows it, or ask about less"
	case said.code == "insufficient_quota":
		return Refused, "the account behind the key has no credit left"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		if x.link.key == nil {
			return Refused, "set model.key_env to the name of the environment variable that holds the key"
		}
		return Refused, "check the key in the environment variable that model.key_env names"
	case status == http.StatusNotFound:
		if said.code == "model_not_found" || strings.Contains(lower, "model") {
			return MissingModel, x.missingRemedy()
		}
		return BadReply, x.addressRemedy()
	case overloaded(status):
		return Overloaded, "wait a little and try again"
	case strings.Contains(lower, "does not support tools"):
		return Refused, `set agent.tools = "text", or choose a model with tools`
	case strings.Contains(lower, "more system memory"), strings.Contains(lower, "out of memory"):
		return Failed, "choose a smaller model or lower model.num_ctx"
	case status >= 500:
		return Failed, "look into the model server's log"
	}
	return Refused, ""
}

func overloaded(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, 529:
		return true
	}
	return false
}

func (x *exchange) missingRemedy() string {
	if x.link.provider == ollamaName && x.model != "" {
		return "fetch it with `ollama pull " + x.model + "`, or choose another in model.name"
	}
	return "choose a model the server has in model.name"
}

// tooLong reports whether a server complains of the prompt's length; each phrase
// is some server's own.
func tooLong(said errorBody) bool {
	switch said.code {
	case "context_length_exceeded", "exceed_context_size_error", "string_above_max_length":
		return true
	}
	text := strings.ToLower(said.message)
	for _, phrase := range []string{
		"exceeds the context length", "maximum context length", "exceeds the available context size",
		"input length exceeds", "prompt is too long", "exceeds maximum context", "context window",
	} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// errorBody is what a server says of an error.
type errorBody struct {
	message string
	code    string // a word, or a type, of the server's
	status  int    // a code that was a number
}

// parseErrorBody reads the shapes errors come in: {"error":"…"},
// {"error":{"message","code","type"}}, {"message":"…"}, {"detail":…}, and plain
// text.
func parseErrorBody(body []byte) errorBody {
	var top struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &top) != nil {
		return errorBody{message: string(body)}
	}
	for _, raw := range []json.RawMessage{top.Error, top.Message, top.Detail} {
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return errorBody{message: text}
		}
		var object struct {
			Message string          `json:"message"`
			Type    string          `json:"type"`
			Code    json.RawMessage `json:"code"`
		}
		if json.Unmarshal(raw, &object) != nil || object.Message == "" {
			return errorBody{message: string(raw)}
		}
		said := errorBody{message: object.Message, code: object.Type}
		var word string
		if json.Unmarshal(object.Code, &word) == nil && word != "" {
			said.code = word
		}
		if err := json.Unmarshal(object.Code, &said.status); err != nil {
			said.status = 0
		}
		return said
	}
	return errorBody{message: string(body)}
}

const maxMessage = 400 // bytes of a server's words in an error

// brief makes one printable line of at most maxMessage bytes.
func brief(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// keyShape finds keys, and what servers quote of them, in text.
var keyShape = regexp.MustCompile(`\bsk-[A-Za-z0-9_*-]{4,}|(?i:bearer) +[A-Za-z0-9._~+/=*-]{8,}|//[^/@\s]+@`)

const redactedMark = "[redacted]"

// redact takes the key, and what looks like one, out of a text.
func (l *link) redact(s string) string {
	if l.key != nil {
		s = strings.ReplaceAll(s, *l.key, redactedMark)
	}
	return keyShape.ReplaceAllString(s, redactedMark)
}

// redacted returns err, hidden behind its redacted text when that differs.
func (l *link) redacted(err error) error {
	if err == nil {
		return nil
	}
	if text := l.redact(err.Error()); text != err.Error() {
		return &hiddenError{text: text, err: err}
	}
	return err
}

// hiddenError prints without the key and still answers errors.Is; errors.As
// cannot reach the text underneath.
type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }

// Is lets errors.Is look underneath.
func (e *hiddenError) Is(target error) bool { return errors.Is(e.err, target) }
