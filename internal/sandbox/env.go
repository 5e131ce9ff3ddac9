package sandbox

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// keptNames are the variables of this process that a command gets. Whatever
// is not here stays out: a list of what to drop would always be one short.
var keptNames = []string{
	// the person and the system
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SOURCE_DATE_EPOCH",
	"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NIX_SSL_CERT_FILE", "NIX_PATH",
	// the way to the network
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	// Go
	"GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOENV", "GOPROXY", "GONOPROXY",
	"GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOINSECURE", "GOVCS", "GOTOOLCHAIN",
	"GOOS", "GOARCH", "GOARM", "GOARM64", "GOAMD64", "GO386", "GOMIPS", "GORISCV64", "GOWASM",
	"GOEXPERIMENT", "GODEBUG", "GO111MODULE", "GOMAXPROCS", "GOFIPS140",
	// C
	"CC", "CXX", "AR", "LD", "FC", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS",
	"PKG_CONFIG", "PKG_CONFIG_PATH", "CPATH", "LIBRARY_PATH", "MAKEFLAGS",
	// Rust
	"CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_BUILD_JOBS", "CARGO_INCREMENTAL",
	"RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "RUSTC_WRAPPER", "RUST_BACKTRACE",
	// JavaScript
	"NODE_PATH", "NODE_OPTIONS", "NODE_ENV", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR",
	"PNPM_HOME", "COREPACK_HOME", "YARN_CACHE_FOLDER", "BUN_INSTALL", "DENO_DIR",
	"npm_config_cache", "npm_config_registry", "npm_config_offline", "npm_config_prefix",
	// Python
	"PYENV_ROOT", "PYENV_VERSION", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "CONDA_PREFIX",
	"PIP_CACHE_DIR", "UV_CACHE_DIR", "UV_PYTHON_INSTALL_DIR", "POETRY_CACHE_DIR",
	// JVM, .NET, version managers
	"JAVA_HOME", "JDK_HOME", "M2_HOME", "MAVEN_HOME", "MAVEN_OPTS", "GRADLE_HOME", "GRADLE_USER_HOME",
	"DOTNET_ROOT", "NUGET_PACKAGES", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "SDKMAN_DIR",
	"RBENV_ROOT", "GEM_HOME", "GEM_PATH",
	// Windows
	"SystemRoot", "SYSTEMROOT", "SystemDrive", "windir", "COMSPEC", "ComSpec", "PATHEXT", "USERPROFILE",
	"APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "NUMBER_OF_PROCESSORS",
	"PROCESSOR_ARCHITECTURE", "HOMEDRIVE", "HOMEPATH", "USERNAME", "OS",
}

// keptPrefixes are families of which every member is kept.
var keptPrefixes = []string{"LC_", "CGO_", "RUST_TEST_", "CARGO_PROFILE_", "CARGO_TARGET_", "CARGO_REGISTRIES_"}

// dropped are members of the families above that lead out of the scratch copy.
var dropped = []string{"CARGO_TARGET_DIR"}

// secretName matches names that speak of a secret. It rules over both lists
// above, whose prefixes may one day cover such a name.
var secretName = regexp.MustCompile(`(?i)(^|_)(key|keys|token|secret|secrets|password|passwd|pwd|pass|passphrase|credentials?|auth|cookie|session|cert_?key|apikey|private)(_|$)|api_?key|access_?key|_auth|auth_?token|secret`)

// secretValue matches values that carry a name and a password in a URL, as
// proxies and module mirrors may.
var secretValue = regexp.MustCompile(`://[^/@\s]*:[^/@\s]+@`)

// scrub returns the variables of environ that a command may have, sorted.
func scrub(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || !keeps(name) || secretName.MatchString(name) || secretValue.MatchString(value) {
			continue
		}
		kept = append(kept, entry)
	}
	slices.Sort(kept)
	return kept
}

func keeps(name string) bool {
	return slices.Contains(keptNames, name) || !slices.Contains(dropped, name) &&
		slices.ContainsFunc(keptPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// environment is what a command in dir with temporary folder tmp gets: what is
// left of this process's variables, those that follow from the place, and
// extra, which rules.
func environment(dir, tmp string, extra []string) []string {
	env := scrub(os.Environ())
	env = append(env,
		"PWD="+dir,
		"TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp,
		"TERM=dumb", "NO_COLOR=1",
	)
	return dedupe(append(env, extra...))
}

// dedupe keeps the last value of each variable, in order of their last place.
func dedupe(env []string) []string {
	seen := map[string]bool{}
	out := make([]string, 0, len(env))
	for _, entry := range slices.Backward(env) {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		out = append(out, entry)
	}
	slices.Reverse(out)
	return out
}

// variable returns the value of a variable in env, or "".
func variable(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
