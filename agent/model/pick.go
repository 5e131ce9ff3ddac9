package model

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// auto is the model name that stands for the best one the server has.
const auto = "auto"

// maxDescribed bounds how many models Pick asks the server about.
const maxDescribed = 24

// Pick resolves a model name on a server. Any name but "auto" and "" is looked up as
// it is, and a missing one is an *Error of kind MissingModel that lists what there
// is. "auto" takes the best of the models that can chat and that run on the server
// itself:
//
//  1. a model made for code before any other, told by its name or family;
//  2. then one that takes tools before one that does not;
//  3. then the larger one, by size on disk, or by parameters where that is unknown;
//  4. then the newer one; then the first by name.
//
// The result depends on nothing but what the server says.
func Pick(ctx context.Context, p Provider, want string) (Info, error) {
	if want != "" && want != auto {
		return lookUp(ctx, p, want)
	}
	all, err := p.Models(ctx)
	if err != nil {
		return Info{}, err
	}
	usable := slices.DeleteFunc(slices.Clone(all), func(i Info) bool { return !i.Chat || i.Remote != "" })
	slices.SortFunc(usable, better)
	// Models made for code come first, so that the rest need not be asked about.
	if len(usable) > maxDescribed {
		usable = usable[:maxDescribed]
	}
	if p.Name() == ollamaName { // elsewhere the list has said everything
		if usable, err = describeAll(ctx, p, usable); err != nil {
			return Info{}, err
		}
	}
	if len(usable) == 0 {
		return Info{}, noModel(p, all)
	}
	slices.SortFunc(usable, better)
	return usable[0], nil
}

// describeAll completes what a list tells; a model the server cannot describe is
// left out.
func describeAll(ctx context.Context, p Provider, list []Info) ([]Info, error) {
	var known []Info
	var failed error
	for _, i := range list {
		d, err := p.Describe(ctx, i.Name)
		switch KindOf(err) {
		case "":
			d.Size = i.Size
			if d.Chat && d.Remote == "" {
				known = append(known, d)
			}
		case Cancelled, Unreachable:
			return nil, err
		default:
			failed = err
		}
	}
	if len(known) == 0 {
		return nil, failed
	}
	return known, nil
}

func lookUp(ctx context.Context, p Provider, want string) (Info, error) {
	info, err := p.Describe(ctx, want)
	var e *Error
	if !errors.As(err, &e) || e.Kind != MissingModel {
		return info, err
	}
	if all, listErr := p.Models(ctx); listErr == nil && len(all) > 0 {
		e.Message += " (the server has " + names(all) + ")"
	}
	return info, e
}

// names lists models for a person.
func names(all []Info) string {
	const most = 12
	var out []string
	for i, m := range all {
		if i == most {
			out = append(out, "and "+strconv.Itoa(len(all)-most)+" more")
			break
		}
		out = append(out, m.Name)
	}
	return strings.Join(out, ", ")
}

func noModel(p Provider, all []Info) *Error {
	e := &Error{Kind: MissingModel, Provider: p.Name(), Host: p.Host(), Message: "the server has no model"}
	if len(all) > 0 {
		e.Message = "the server has no model of its own that can chat (it has " + names(all) + ")"
	}
	e.Remedy = "name one in model.name"
	if p.Name() == ollamaName {
		e.Remedy = "fetch one, for example with `ollama pull qwen2.5-coder:7b`, or name one in model.name"
	}
	return e
}

// better orders models as Pick documents; the better one first.
func better(a, b Info) int {
	return cmp.Or(
		-compareBool(forCode(a), forCode(b)),
		-compareBool(a.Tools, b.Tools),
		-cmp.Compare(a.Size, b.Size),
		-cmp.Compare(a.Parameters, b.Parameters),
		-a.Created.Compare(b.Created),
		cmp.Compare(a.Name, b.Name),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

var (
	codeName   = regexp.MustCompile(`code|devstral|wizardcoder|starcoder|santacoder|polycoder`)
	notCode    = regexp.MustCompile(`(de|en)coder`)
	notForChat = regexp.MustCompile(`embed|\bbert\b|(^|[/:_ -])bge-|minilm|rerank|whisper|(^|-)tts|dall-e|moderation|transcribe|realtime|-audio|image|stable-diffusion|(^|[/ -])flux`)
)

func forCode(i Info) bool {
	name := notCode.ReplaceAllString(strings.ToLower(i.Name+" "+i.Family), "")
	return codeName.MatchString(name)
}

var (
	sizeWord   = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([KMBT])$`)
	sizeInName = regexp.MustCompile(`(?:^|[^a-z0-9.])(?:([0-9]+)x)?([0-9]+(?:\.[0-9]+)?)([bm])(?:$|[^a-z0-9])`)
)

// parameterCount reads "7.6B" and the like; 0 when it cannot.
func parameterCount(s string) int64 {
	m := sizeWord.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(s)))
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	return int64(n * map[string]float64{"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[m[2]])
}

// parametersInName finds "-7b" or "8x7b" in a model's name; 0 when there is none.
func parametersInName(name string) int64 {
	m := sizeInName.FindStringSubmatch(strings.ToLower(name))
	if m == nil {
		return 0
	}
	n := parameterCount(m[2] + m[3])
	if times, err := strconv.ParseInt(m[1], 10, 32); err == nil {
		n *= times
	}
	return n
}
