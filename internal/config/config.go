// Package config is emend's settings: one tree, [Settings], whose doc comments
// are the manual, and [Load], which lays its sources over each other.
//
// Sources are [Layer] values, later ones win: the built-in defaults, the person's
// file ([UserFile]), the workspace's file ([WorkspaceFile], a narrow layer: it can
// only set what cannot widen what emend may do), what the client sends, the
// environment ([Environment]) and the command line ([Assignments]). A key that is
// unknown or a value that is bad is reported as a [Warning] and changes nothing.
//
// The package knows nothing of what the settings do, and imports nothing else of
// this module.
package config

// Format is how a layer's data is written.
type Format uint8

// The formats of layers.
const (
	TOML    Format = iota // a file
	JSON                  // what a client sends: the tree itself, or under "emend"; keys may be dotted
	Strings               // lines key=value with Go-quoted values, as made by Assignments
)

// Layer is one source of settings.
type Layer struct {
	Name   string // a file's path, or what the source is called in warnings
	Data   []byte // empty means that the source sets nothing
	Format Format
	Narrow bool // the layer comes from the workspace: it cannot widen anything
}

// Warning is something in a layer that has no effect.
type Warning struct {
	File    string // the layer's name
	Line    int    // one-based; 0 means unknown
	Message string
}

// Load lays layers over the defaults, in order.
func Load(layers ...Layer) (Settings, []Warning) { panic("todo") }

// Environment returns the layer of EMEND_* variables and OLLAMA_HOST.
func Environment(getenv func(string) string) Layer { panic("todo") }

// Assignments makes a layer from keys such as "model.name" and values as text.
func Assignments(name string, values map[string]string) Layer { panic("todo") }

// UserFile is the path of the person's settings file; "" when there is no home.
func UserFile() string { panic("todo") }

// WorkspaceFile is the path of the settings file of a workspace.
func WorkspaceFile(root string) string { panic("todo") }

// ReadFile reads a settings file as a layer; a missing file is an empty layer.
func ReadFile(path string, narrow bool) (Layer, error) { panic("todo") }

// Schema returns the JSON Schema of the settings.
func Schema() []byte { panic("todo") }

// Manual returns the settings' manual in Markdown.
func Manual() string { panic("todo") }
