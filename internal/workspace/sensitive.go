package workspace

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// sensitiveNames are base names, and patterns of them as path.Match reads
// them, of files that hold secrets by custom. All are lower case.
var sensitiveNames = []string{
	".env", ".env.*", "*.env", ".envrc", ".dev.vars",
	".netrc", "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd",
	".git-credentials", ".dockercfg", ".vault-token", ".s3cfg", ".boto",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc", "*.gpg", "*.age",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "ssh_host_*_key",
	"credentials", "credentials.*", "client_secret*.json", "service-account*.json", "service_account*.json",
	"secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", ".secrets", "secret.*",
	"*.tfstate", "*.tfstate.backup", "terraform.tfvars", "*.auto.tfvars",
	"master.key", "kubeconfig", "*.kubeconfig", "wp-config.php", ".terraformrc", "terraform.rc",
}

// sensitivePlaces are the ends of slash paths that hold secrets although their
// base names are ordinary.
var sensitivePlaces = []string{
	"/.docker/config.json", "/.kube/config", "/.aws/config", "/.cargo/credentials.toml", "/.gem/credentials",
	"/.config/gh/hosts.yml", "/.m2/settings.xml", "/.gradle/gradle.properties", "/.composer/auth.json",
}

// harmlessNames are exceptions from sensitiveNames: samples, the public halves
// of keys, and source code.
var harmlessNames = []string{
	".env.example", ".env.*.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.schema",
	"*.pub", "secret.go", "secret.py", "secret.rs", "secret.ts", "secret.js", "secret.java", "secret.c", "secret.h",
	"secret.rb", "secret.cs", "secret.kt", "secret.swift", "secret.md", "secret.proto",
	"credentials.go", "credentials.py", "credentials.rs", "credentials.ts", "credentials.js", "credentials.java",
	"credentials.c", "credentials.h", "credentials.rb", "credentials.cs", "credentials.kt", "credentials.swift",
	"credentials.md", "credentials.proto",
}

// nameTable answers which of some patterns match a base name. All but few
// patterns are a whole name or an extension, which cost one look-up.
type nameTable struct {
	whole, ext map[string]bool
	patterns   []string
}

func newNameTable(patterns []string) nameTable {
	t := nameTable{whole: make(map[string]bool), ext: make(map[string]bool)}
	for _, p := range patterns {
		rest, star := strings.CutPrefix(p, "*.")
		switch {
		case star && !strings.ContainsAny(rest, "*?[\\."):
			t.ext["."+rest] = true
		case !strings.ContainsAny(p, "*?[\\"):
			t.whole[p] = true
		default:
			t.patterns = append(t.patterns, p)
		}
	}
	return t
}

// has reports whether one of the patterns, all of which are well formed,
// matches the base name.
func (t nameTable) has(base string) bool {
	if t.whole[base] || t.ext[path.Ext(base)] {
		return true
	}
	for _, pattern := range t.patterns {
		// A pattern begins with what the name must begin with, or with a star.
		if pattern[0] != '*' && !strings.HasPrefix(base, pattern[:1]) {
			continue
		}
		if ok, err := path.Match(pattern, base); err == nil && ok {
			return true
		}
	}
	return false
}

var (
	sensitiveTable = newNameTable(sensitiveNames)
	harmlessTable  = newNameTable(harmlessNames)
)

// Sensitive reports whether a file looks by its name as if it held secrets. It
// does not read the file. Tools do not read such files, nor send them, unless
// the person allows it; see [SensitiveText] for what a name does not tell.
func Sensitive(p Path) bool {
	slash := strings.ToLower(filepath.ToSlash(string(p)))
	base := path.Base(slash)
	// What Windows takes for the same file: trailing dots and blanks, streams.
	plain, _, _ := strings.Cut(base, ":")
	plain = strings.TrimRight(plain, " .")
	if plain != base && sensitiveTable.has(plain) && !harmlessTable.has(plain) {
		return true
	}
	if sensitiveTable.has(base) {
		return !harmlessTable.has(base)
	}
	for _, place := range sensitivePlaces {
		if strings.HasSuffix(slash, place) {
			return true
		}
	}
	return false
}

// secretText finds private keys and the tokens of services that mark theirs.
var secretText = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----` +
	`|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{60,}` +
	`|\bxox[abprs]-[A-Za-z0-9-]{20,}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}|\bAIza[0-9A-Za-z_-]{35}\b|\bglpat-[A-Za-z0-9_-]{20}`)

// secretMarks are what every match of secretText contains one of.
var secretMarks = []string{
	"PRIVATE KEY-----", "AKIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "sk-", "AIza", "glpat-",
}

// SensitiveText reports whether a text contains a private key or a token that
// can be told by its form. It costs about a millisecond a megabyte.
func SensitiveText(text string) bool {
	for _, mark := range secretMarks {
		if strings.Contains(text, mark) {
			return secretText.MatchString(text)
		}
	}
	return false
}
