package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"

	"emend/edits"
)

// encodings maps the protocol's names to ours, best first: utf-16 is what the
// language servers beside us use, and an editor that mixes encodings on one
// buffer warns.
var encodings = []struct {
	kind protocol.PositionEncodingKind
	enc  edits.Encoding
}{
	{protocol.PositionEncodingKindUTF16, edits.UTF16},
	{protocol.PositionEncodingKindUTF8, edits.UTF8},
	{protocol.PositionEncodingKindUTF32, edits.UTF32},
}

// chooseEncoding picks utf-16 unless the client lacks it.
func chooseEncoding(offered []protocol.PositionEncodingKind) (protocol.PositionEncodingKind, edits.Encoding) {
	for _, e := range encodings {
		for _, kind := range offered {
			if kind == e.kind {
				return e.kind, e.enc
			}
		}
	}
	return encodings[0].kind, encodings[0].enc
}

func fromProtoPosition(p protocol.Position) edits.Position {
	return edits.Position{Line: int(p.Line), Column: int(p.Character)}
}

func toProtoPosition(p edits.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Column)}
}

// offsets converts a range into bytes of text. A column beyond its line means
// the line's end; a line beyond the text is an error.
func offsets(text edits.Text, r protocol.Range, enc edits.Encoding) (start, end int, err error) {
	if start, err = text.Offset(fromProtoPosition(r.Start), enc); err != nil {
		return 0, 0, err
	}
	if end, err = text.Offset(fromProtoPosition(r.End), enc); err != nil {
		return 0, 0, err
	}
	if end < start {
		return 0, 0, fmt.Errorf("range ends (%d:%d) before it starts (%d:%d)", r.End.Line, r.End.Character, r.Start.Line, r.Start.Character)
	}
	return start, end, nil
}

// toProtoRange converts bytes of text into a range.
func toProtoRange(text edits.Text, start, end int, enc edits.Encoding) protocol.Range {
	return protocol.Range{
		Start: toProtoPosition(text.Position(start, enc)),
		End:   toProtoPosition(text.Position(end, enc)),
	}
}
