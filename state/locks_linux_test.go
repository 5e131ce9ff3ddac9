package state

import (
	"slices"
	"testing"
)

func TestParseLocks(t *testing.T) {
	const text = `1: FLOCK  ADVISORY  WRITE 11 fe:00:100 0 EOF
1: -> FLOCK  ADVISORY  WRITE 12 fe:00:100 0 EOF
2: POSIX  ADVISORY  WRITE 13 fe:00:100 0 EOF
3: FLOCK  ADVISORY  READ 14 00:2e:200 0 EOF
4: FLOCK  ADVISORY  READ 15 00:2e:2000 0 EOF
5: FLOCK  ADVISORY  READ 0 00:2e:200 0 EOF
6: FLOCK
`
	if got, want := parseLocks(text, map[string]bool{"100": true, "200": true}), []int{11, 14}; !slices.Equal(got, want) {
		t.Errorf("holders %v, want %v", got, want)
	}
}

func FuzzParseLocks(f *testing.F) {
	f.Add("1: FLOCK  ADVISORY  WRITE 11 fe:00:100 0 EOF\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, pid := range parseLocks(text, map[string]bool{"100": true}) {
			if pid <= 0 {
				t.Errorf("process %d", pid)
			}
		}
	})
}
