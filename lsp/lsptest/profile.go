package lsptest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed profiles
var profileFiles embed.FS

// Profile is one version of one editor. Values are shared: do not change what
// LoadProfile returned; copy it and set Config.Custom instead.
type Profile struct {
	// Name is the editor and its version, "neovim-0.12.4".
	Name string
	// Initialize is the params of the initialize request as the editor sent
	// it, its root being /w and its process id 1.
	Initialize json.RawMessage
	Behaviour  Behaviour
}

// Behaviour is what an editor does that its capabilities do not say. Every
// member has to be given in a profile's file, so that none is false by
// forgetting.
type Behaviour struct {
	Documents   DocumentBehaviour   `json:"documents"`
	Edits       EditBehaviour       `json:"edits"`
	Actions     ActionBehaviour     `json:"actions"`
	Commands    CommandBehaviour    `json:"commands"`
	Window      WindowBehaviour     `json:"window"`
	Diagnostics DiagnosticBehaviour `json:"diagnostics"`
}

// DocumentBehaviour is how buffers are kept and told of.
type DocumentBehaviour struct {
	// FirstVersion is the version of didOpen.
	FirstVersion int `json:"firstVersion"`
	// ChangeTick is the number from which versions of changes count up, for
	// editors that send a counter of their own; each edit of a change counts.
	// 0: versions grow by one a change.
	ChangeTick int `json:"changeTick"`
	// LineEnds of the text the server gets: "majority" all are made like most
	// of them; "uniform" as they are, the file counting as CRLF only when all
	// are; "lf" the same, a CRLF file being told as "\n"; "verbatim" each as it
	// is.
	LineEnds string `json:"lineEnds"`
	// InsertedLineEnds is what becomes of the line ends of text the server
	// inserts: "document" they turn into the document's; "verbatim" they stay.
	InsertedLineEnds string `json:"insertedLineEnds"`
	// StripBOM: the byte-order mark is no part of the text the server gets.
	StripBOM bool `json:"stripBOM"`
	// Lines is how text ends: "free" as it likes; the others are Vim's list of
	// lines, in which an ended last line and an empty buffer cannot be told
	// from their neighbours, with edits mapped to it as Neovim did in 0.7, from
	// 0.8 to 0.11, and since 0.12. All leave an empty line behind when text
	// that ends its line is inserted into an empty buffer, "0.8" also when it
	// is inserted after the last line.
	Lines string `json:"lines"`
	// Changes is "incremental" or "full"; a server that asks for full text
	// gets it in any case.
	Changes string `json:"changes"`
	// ChangeOrder of several edits in one didChange: "ascending" or
	// "descending". Either way each is against the text the one before left.
	ChangeOrder string `json:"changeOrder"`
	// ChangeDelay is how many milliseconds of idleness pass before didChange
	// is sent; a request about the document sends it first. 0: at once.
	ChangeDelay int `json:"changeDelay"`
	// HiddenOpen: a file loaded only to be edited is announced by didOpen.
	HiddenOpen bool `json:"hiddenOpen"`
	// SaveMakesFolders: saving makes folders that are missing.
	SaveMakesFolders bool `json:"saveMakesFolders"`
	// EscapeURI: everything but unreserved characters is percent-encoded.
	EscapeURI bool `json:"escapeURI"`
}

// EditBehaviour is how workspace/applyEdit is taken. A Reply is what applied
// is ("true", "false", "null") or "error:CODE"; after the former can come
// " reason" (a failureReason is given) and " index" (a failedChange is).
type EditBehaviour struct {
	// KindsUpfront: changes the editor cannot read (an operation it does not
	// have, a snippet, a version left out) are looked for before anything is
	// applied; otherwise what came before them stays.
	KindsUpfront bool `json:"kindsUpfront"`
	// VersionsUpfront: so are versions.
	VersionsUpfront bool `json:"versionsUpfront"`
	// Checked says whose version is looked at: "all", or "first" for the first
	// entry of documentChanges only.
	Checked string `json:"checked"`
	// ZeroUnchecked: version 0 is never checked.
	ZeroUnchecked bool `json:"zeroUnchecked"`
	// NewerApplied: a version newer than the buffer's is applied.
	NewerApplied bool `json:"newerApplied"`
	// Stale is "skip" (the document is passed over, and the rest goes on) or a
	// Reply.
	Stale string `json:"stale"`
	// MissingVersion is "apply" or a Reply.
	MissingVersion string `json:"missingVersion"`
	// Confirm is what needsConfirmation does: "ignore"; "preview" a preview of
	// all with a tick for each edit; "document" a yes or no for each document,
	// a no counting as done; "files" a yes or no for all when a file of them
	// is not open, whatever the annotations.
	Confirm string `json:"confirm"`
	// Declined is the Reply when the person says no.
	Declined string `json:"declined"`
	// UntickedByAnnotation: edits that need confirmation start unticked.
	UntickedByAnnotation bool `json:"untickedByAnnotation"`
	// Operations are the file operations the editor can do, advertised or not.
	Operations []string `json:"operations"`
	// UnknownOperation is the Reply to a kind of change not among them.
	UnknownOperation string `json:"unknownOperation"`
	// CreateExisting is what create does to a file that exists, without
	// options: "truncate", "keep" or a Reply.
	CreateExisting string `json:"createExisting"`
	// CreateFolders: create makes missing folders; otherwise it fails.
	CreateFolders bool `json:"createFolders"`
	// IgnoreSkipsDisk: create with ignoreIfExists puts nothing on disk.
	IgnoreSkipsDisk bool `json:"ignoreSkipsDisk"`
	// DeleteCloses: deleting a file closes its buffer.
	DeleteCloses bool `json:"deleteCloses"`
	// MissingFile is what an edit of a file that does not exist does: "empty"
	// starts an empty buffer, or a Reply.
	MissingFile string `json:"missingFile"`
	// Failure is the Reply when an operation fails in the middle.
	Failure string `json:"failure"`
	// Overlap is "garbage" (applied one after the other), "drop" (the later
	// one is left out) or a Reply.
	Overlap string `json:"overlap"`
	// Snippet is what an edit with a snippet does: "apply" (as plain text),
	// "drop" or a Reply.
	Snippet string `json:"snippet"`
	// Undo is "all" (one undo takes back every file of the edit) or "buffer".
	Undo string `json:"undo"`
	// ReplyFirst: the reply goes out before the didChange of its edits.
	ReplyFirst bool `json:"replyFirst"`
	// AutoSave: what was edited is saved when the edit says it is a
	// refactoring and changed more than one file.
	AutoSave bool `json:"autoSave"`
}

// ActionBehaviour is how code actions are asked for and shown.
type ActionBehaviour struct {
	// Foreign: the context carries other servers' diagnostics.
	Foreign bool `json:"foreign"`
	// WholeLine: the context carries the diagnostics of the line, not only
	// those that touch the range.
	WholeLine bool `json:"wholeLine"`
	// Trigger: the context has a triggerKind.
	Trigger bool `json:"trigger"`
	// OnMove: moving the cursor asks for actions by itself.
	OnMove bool `json:"onMove"`
	// Disabled actions are "hidden", "shown" with their reason, or shown and
	// "runs": taken like any other.
	Disabled string `json:"disabled"`
	// Resolve asks the server to complete an action, where it offers to:
	// "edit" when the edit is missing, "either" when edit or command is,
	// "both" when both are and there is data.
	Resolve string `json:"resolve"`
	// MinimumRange: an empty range is widened to one character.
	MinimumRange bool `json:"minimumRange"`
}

// CommandBehaviour is how workspace/executeCommand is sent.
type CommandBehaviour struct {
	// Timeout in milliseconds after which the editor stops waiting; 0 never.
	Timeout int `json:"timeout"`
	// CancelOnTimeout: the editor then sends $/cancelRequest.
	CancelOnTimeout bool `json:"cancelOnTimeout"`
	// AdvertisedOnly: a command the server did not announce is not sent.
	AdvertisedOnly bool `json:"advertisedOnly"`
	// Arguments: a person can pass arguments with a command.
	Arguments bool `json:"arguments"`
}

// WindowBehaviour is what of the server reaches a person.
type WindowBehaviour struct {
	// Questions: window/showMessageRequest is known.
	Questions bool `json:"questions"`
	// ShowDocument: window/showDocument is known, advertised or not.
	ShowDocument bool `json:"showDocument"`
	// ShowFilesOnly: it is refused for other schemes.
	ShowFilesOnly bool `json:"showFilesOnly"`
	// ShowExistingOnly: it is refused for files that do not exist.
	ShowExistingOnly bool `json:"showExistingOnly"`
	// OneLine: line breaks in a message are lost.
	OneLine bool `json:"oneLine"`
	// Refresh: workspace/codeLens/refresh is known.
	Refresh bool `json:"refresh"`
	// UnknownNull: requests not known are answered null, not by an error.
	UnknownNull bool `json:"unknownNull"`
}

// DiagnosticBehaviour is what becomes of published diagnostics.
type DiagnosticBehaviour struct {
	// VersionChecked: those for another version than the buffer's are dropped.
	VersionChecked bool `json:"versionChecked"`
	// Dropped members of a diagnostic do not come back in a context.
	Dropped []string `json:"dropped"`
}

// Profiles returns the names of the embedded profiles, sorted.
func Profiles() []string {
	entries, err := fs.ReadDir(profileFiles, "profiles")
	if err != nil {
		panic("lsptest: embedded profiles cannot be listed: " + err.Error())
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}

// LoadProfile returns the embedded profile with that name, or the newest of
// those of that editor ("neovim" for "neovim-0.12.4").
func LoadProfile(name string) (Profile, error) {
	all := Profiles()
	found := ""
	for _, candidate := range all {
		if candidate == name {
			found = candidate
			break
		}
		if strings.HasPrefix(candidate, name+"-") && (found == "" || versionLess(found, candidate)) {
			found = candidate
		}
	}
	if found == "" || name == "" {
		return Profile{}, fmt.Errorf("no editor profile %q: known are %s", name, strings.Join(all, ", "))
	}
	profile := Profile{Name: found}
	var err error
	if profile.Initialize, err = profileFiles.ReadFile("profiles/" + found + "/initialize.json"); err != nil {
		return Profile{}, fmt.Errorf("reading editor profile %q: %w", found, err)
	}
	data, err := profileFiles.ReadFile("profiles/" + found + "/behaviour.json")
	if err != nil {
		return Profile{}, fmt.Errorf("reading editor profile %q: %w", found, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&profile.Behaviour); err != nil {
		return Profile{}, fmt.Errorf("decoding behaviour of editor profile %q: %w", found, err)
	}
	return profile, nil
}

// versionLess compares names that end in dotted numbers, number by number.
func versionLess(a, b string) bool {
	return slices.Compare(numbersIn(a), numbersIn(b)) < 0
}

func numbersIn(s string) []int {
	var numbers []int
	inside := false
	for _, c := range s {
		if c < '0' || c > '9' {
			inside = false
			continue
		}
		if !inside {
			numbers = append(numbers, 0)
			inside = true
		}
		last := &numbers[len(numbers)-1]
		*last = *last*10 + int(c-'0')
	}
	return numbers
}
