package index

import (
	"bytes"
	"path"
	"strings"
)

// textExts are extensions that are text without a look; the files may still
// hold a NUL, which [Index.Grep] notices.
var textExts = set(`.go .mod .sum .py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .c .h .cc .cpp .cxx .hpp .hh .cs .java .kt
	.kts .scala .swift .m .mm .rs .rb .php .pl .pm .lua .r .jl .hs .ml .mli .ex .exs .erl .clj .cljs .dart .zig .nim .vue
	.svelte .s .asm .sh .bash .zsh .fish .ps1 .bat .cmd .vim .el .sql .html .htm .css .scss .less .sass .xml .svg .json
	.jsonc .yaml .yml .toml .ini .cfg .conf .md .markdown .rst .txt .tex .csv .tsv .proto .graphql .tf .hcl .gradle .cmake
	.mk .make .diff .patch .golden .txtar .gitignore .editorconfig .lock .log .properties .tmpl .mustache .hbs`)

// binaryExts are extensions that are binary without a look.
var binaryExts = set(`.png .jpg .jpeg .gif .bmp .ico .webp .avif .tif .tiff .psd .heic .pdf .zip .gz .tgz .bz2 .xz .zst .7z
	.rar .jar .war .ear .class .so .dylib .dll .exe .o .a .lib .obj .pyc .pyo .pyd .wasm .woff .woff2 .ttf .otf .eot .mp3
	.mp4 .m4a .avi .mov .mkv .webm .wav .flac .ogg .db .sqlite .sqlite3 .syso .bin .iso .dmg .deb .rpm .apk .gguf
	.safetensors .onnx .pt .pth .npy .npz .parquet .doc .docx .xls .xlsx .ppt .pptx .odt .keystore .jks .p12`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// guess is what a file's name tells about what is in it.
type guess uint8

const (
	unsure guess = iota
	isText
	isBinary
)

// guessByName judges a file by its base name.
func guessByName(base string) guess {
	ext := path.Ext(base)
	switch {
	case textExts[ext]:
		return isText
	case binaryExts[ext]:
		return isBinary
	}
	switch ext = strings.ToLower(ext); {
	case textExts[ext]:
		return isText
	case binaryExts[ext]:
		return isBinary
	}
	return unsure
}

// sniffLen is how many bytes of a file are looked at to tell text from binary.
const sniffLen = 8000

// looksBinary judges a file by how it begins, as git does.
func looksBinary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), sniffLen)], 0) >= 0
}
