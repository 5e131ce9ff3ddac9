package config

// Settings is everything a person can set. The comments of the fields are the
// manual; their tags are the rules: toml is the key, enum the values there are,
// range the least and the greatest number, and workspace what a workspace file may
// do: "set" the value, "add" to it, "narrow" it (turn it off, lower it), or, without
// the tag, nothing.
type Settings struct {
	// Which model answers, where it runs and how it samples.
	Model Model `toml:"model"`
	// How long and in which way a run may work.
	Agent Agent `toml:"agent"`
	// What happens when a run has a proposal: "review" shows it and waits,
	// "preview" opens the editor's own preview by itself where there is one and the
	// document has not changed since the request, "auto" applies it at once after a
	// checkpoint. A workspace file cannot set this.
	Approval string `toml:"approval" enum:"review,preview,auto"`
	// How accepted changes reach the files.
	Apply Apply `toml:"apply"`
	// The project's own checks: builds, tests, linters.
	Checks Checks `toml:"checks"`
	// The chat documents.
	Chat Chat `toml:"chat"`
	// Send an emend/event notification for every step of a run. For plug-ins.
	Events bool `toml:"events"`
	// Files that are neither searched nor read for context, as .gitignore patterns,
	// beside what .gitignore names. A workspace file adds to the list and cannot take
	// away.
	Ignore []string `toml:"ignore" workspace:"add"`
	// Standing instructions for every run, in your words. A workspace file adds to
	// them.
	Instructions string `toml:"instructions" workspace:"add"`
	// What is written to the log file.
	Log Log `toml:"log"`
}

// Model chooses a model and how it samples. A sampling setting that is not set is
// left to the model server.
type Model struct {
	// Which protocol the model server speaks: "ollama" is Ollama's own, "openai" is
	// that of OpenAI and every compatible server (vLLM, llama.cpp, LM Studio,
	// OpenRouter, Mistral and so on).
	Provider string `toml:"provider" enum:"ollama,openai"`
	// The model, as the server names it. "auto" takes the best coder model the
	// server has.
	Name string `toml:"name" workspace:"set"`
	// Where the server is, as a URL, host:port or unix:/path. Empty means
	// http://127.0.0.1:11434 for ollama, or what OLLAMA_HOST says, and
	// https://api.openai.com/v1 for openai. Must not hold a password.
	BaseURL string `toml:"base_url"`
	// The name of the environment variable that holds the key, not the key itself.
	// Empty means that no key is sent.
	KeyEnv string `toml:"key_env"`
	// The context window to work with, in tokens. The model's own window is the
	// upper bound. A large one costs memory on the machine of the model server.
	NumCtx int `toml:"num_ctx" range:"512,10000000"`
	// Higher makes the model more inventive, lower more predictable.
	Temperature *float64 `toml:"temperature" range:"0,2"`
	// Sample from the likeliest tokens that together have this probability.
	TopP *float64 `toml:"top_p" range:"0,1"`
	// Sample from this many likeliest tokens; 0 means all.
	TopK *int `toml:"top_k" range:"0,100000"`
	// Drop tokens less likely than this share of the likeliest one.
	MinP *float64 `toml:"min_p" range:"0,1"`
	// Above 1, the model avoids to repeat itself.
	RepeatPenalty *float64 `toml:"repeat_penalty" range:"0,2"`
	// Makes sampling repeatable, as far as the server can.
	Seed *int `toml:"seed" range:"0,2147483647"`
	// The longest answer to one request, in tokens; 0 means as long as it fits.
	MaxTokens int `toml:"max_tokens" range:"0,10000000"`
	// How long Ollama keeps the model loaded after a request, as "10m" or seconds;
	// "-1" means for ever. Empty leaves it to the server.
	KeepAlive string `toml:"keep_alive"`
}

// Agent bounds a run.
type Agent struct {
	// The most requests to the model in one run.
	MaxSteps int `toml:"max_steps" range:"1,1000"`
	// The longest a run may take, in minutes.
	MaxMinutes int `toml:"max_minutes" range:"1,1440"`
	// How often the model may repeat one and the same tool call in a row before the
	// run ends.
	MaxRepeats int `toml:"max_repeats" range:"1,100"`
	// How tool calls are made: "native" uses the server's tool calls, "text" lets the
	// model write them as text, "auto" does the former where the model supports it.
	Tools string `toml:"tools" enum:"auto,native,text"`
}

// Apply says how accepted changes reach the files.
type Apply struct {
	// Who changes files that are not open: the "editor", or emend itself on "disk".
	ClosedFiles string `toml:"closed_files" enum:"editor,disk"`
}

// Checks says what is run to see whether a change is right. Checks execute the
// workspace's code: the first one in a workspace asks for leave.
type Checks struct {
	// Run the checks over what a run changed, and let the model mend what it broke.
	// A workspace file can turn this off, not on.
	OnRun bool `toml:"on_run" workspace:"narrow"`
	// The longest one check may take, in seconds. A workspace file can lower it, not
	// raise it.
	TimeoutSeconds int `toml:"timeout_seconds" range:"1,86400" workspace:"narrow"`
	// The checks to run, in place of those found from the project.
	Commands []Command `toml:"commands" workspace:"set"`
}

// Command is one check.
type Command struct {
	// What the check is called in messages.
	Name string `toml:"name"`
	// The program and its arguments; no shell is involved.
	Args []string `toml:"args"`
	// The folder to run it in, relative to the workspace's root; empty means the
	// root.
	Dir string `toml:"dir"`
	// How its output is read: the name of a known format, or empty to guess from the
	// program.
	Parser string `toml:"parser"`
}

// Chat says where chat documents live.
type Chat struct {
	// "workspace" keeps them under .emend/chat in the workspace, "state" in emend's
	// own state folder.
	Location string `toml:"location" enum:"workspace,state"`
}

// Log says what is written to the log file.
type Log struct {
	// The least weight of a message that is logged. Prompts and file contents appear
	// at "debug" only; keys never do.
	Level string `toml:"level" enum:"debug,info,warn,error"`
}

// Defaults returns the built-in settings.
func Defaults() Settings {
	return Settings{
		Model:    Model{Provider: "ollama", Name: "auto", NumCtx: 16384},
		Agent:    Agent{MaxSteps: 40, MaxMinutes: 20, MaxRepeats: 3, Tools: "auto"},
		Approval: "review",
		Apply:    Apply{ClosedFiles: "editor"},
		Checks:   Checks{OnRun: true, TimeoutSeconds: 300},
		Chat:     Chat{Location: "workspace"},
		Log:      Log{Level: "info"},
	}
}
