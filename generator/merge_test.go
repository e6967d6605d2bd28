package generator

import (
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	lines := func(s string) string { // "a b" is two lines
		if s == "" {
			return ""
		}
		return strings.ReplaceAll(s, " ", "\n") + "\n"
	}
	for name, test := range map[string]struct{ base, mine, theirs, want string }{
		"no changes":               {"a b c", "a b c", "a b c", "a b c"},
		"mine alone":               {"a b c", "a x c", "a b c", "a x c"},
		"theirs alone":             {"a b c", "a b c", "a b y", "a b y"},
		"far apart":                {"a b c d e", "x b c d e", "a b c d y", "x b c d y"},
		"one line between":         {"a b c", "x b c", "a b y", "x b y"},
		"the same":                 {"a b c", "a x c", "a x c", "a x c"},
		"deleted and added":        {"a b c d e", "a c d e", "a b c d e f", "a c d e f"},
		"both delete":              {"a b c", "a c", "a c", "a c"},
		"all of it deleted":        {"a b", "", "a b", ""},
		"nothing before, the same": {"", "a", "a", "a"},
	} {
		got, clean := merge(lines(test.base), lines(test.mine), lines(test.theirs))
		if got != lines(test.want) || !clean {
			t.Errorf("%s: %q, clean %v", name, got, clean)
		}
	}
	for name, test := range map[string]struct{ base, mine, theirs, want string }{
		"the same line": {
			"a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n",
			"a\n<<<<<<< your edit\nx\n=======\ny\n>>>>>>> springfield\nc\n",
		},
		"neighbours": {
			"a\nb\nc\nd\n", "a\nx\nc\nd\n", "a\nb\ny\nd\n",
			"a\n<<<<<<< your edit\nx\nc\n=======\nb\ny\n>>>>>>> springfield\nd\n",
		},
		"deleted here, changed there": {
			"a\nb\nc\n", "a\nc\n", "a\ny\nc\n",
			"a\n<<<<<<< your edit\n=======\ny\n>>>>>>> springfield\nc\n",
		},
		"written into what the other deletes": {
			"a\nb\nc\nd\ne\n", "a\nb\nc\nx\nd\ne\n", "a\ne\n",
			"a\n<<<<<<< your edit\nb\nc\nx\nd\n=======\n>>>>>>> springfield\ne\n",
		},
		"both add at the end, which does not end": {
			"a\n", "a\nx", "a\ny\n",
			"a\n<<<<<<< your edit\nx\n=======\ny\n>>>>>>> springfield\n",
		},
		"two of them, and something clean": {
			"a\nb\nc\nd\ne\nf\ng\n", "1\nb\nc\nd\ne\nf\n2\n", "3\nb\nc\nz\ne\nf\n4\n",
			"<<<<<<< your edit\n1\n=======\n3\n>>>>>>> springfield\nb\nc\nz\ne\nf\n<<<<<<< your edit\n2\n=======\n4\n>>>>>>> springfield\n",
		},
	} {
		got, clean := merge(test.base, test.mine, test.theirs)
		if got != test.want || clean || !isMarked(got) {
			t.Errorf("%s: clean %v\n%s", name, clean, got)
		}
	}
}

// Whatever the texts are: nothing changed on one side gives the other side, the
// same on both sides gives that, and no line that was written is lost.
func FuzzMerge(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n", "a\nb\ny\n")
	f.Add("a\nb", "", "a\n\n\nb")
	f.Add("", "x", "y")
	f.Add("x\nx\nx\n", "x\nx\n", "x\nx\nx\nx\n")
	f.Add("<<<<<<< your edit\n", "=======", ">>>>>>> springfield\n\r\n")
	f.Fuzz(func(t *testing.T, base, mine, theirs string) {
		for _, test := range []struct{ base, mine, theirs, want string }{
			{base, mine, base, mine}, {base, base, theirs, theirs}, {base, mine, mine, mine}, {mine, theirs, mine, theirs},
		} {
			if got, clean := merge(test.base, test.mine, test.theirs); got != test.want || !clean {
				t.Fatalf("merge(%q, %q, %q) = %q, %v", test.base, test.mine, test.theirs, got, clean)
			}
		}
		merged, clean := merge(base, mine, theirs)
		if !clean && !isMarked(merged) {
			t.Fatalf("a conflict without marks: %q", merged)
		}
		has := linesOf(merged)
		for _, side := range []string{mine, theirs} {
			for line := range linesOf(side) {
				if !linesOf(base)[line] && !has[line] {
					t.Fatalf("merge(%q, %q, %q) = %q has lost %q", base, mine, theirs, merged, line)
				}
			}
		}
	})
}

func linesOf(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		all[strings.TrimSuffix(line, "\n")] = true
	}
	return all
}

func TestMergeJSON(t *testing.T) {
	const base = `{
  "rules": "default",
  "keywords": ["a","b"],
  "plugins": [
    {
      "name": "ned",
      "version": "0.1.0"
    }
  ],
  "off": []
}
`
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for name, test := range map[string]struct{ mine, theirs, want string }{
		"neighbouring members": {
			edit(`"default"`, `"seed"`), edit(`["a","b"]`, `["a"]`), edit(`"default"`, `"seed"`, `["a","b"]`, `["a"]`),
		},
		"both add a last member": {
			edit(`"off": []`, `"off": [],`+"\n  "+`"mine": 1`), edit(`"off": []`, `"off": [],`+"\n  "+`"theirs": 2`),
			edit(`"off": []`, `"off": [],`+"\n  "+`"mine": 1,`+"\n  "+`"theirs": 2`),
		},
		"a last member, and the one before changes": {
			edit(`"off": []`, `"off": [],`+"\n  "+`"mine": 1`), edit(`"off": []`, `"off": ["x"]`),
			edit(`"off": []`, `"off": ["x"],`+"\n  "+`"mine": 1`),
		},
		"the last member goes, another is added before": {
			edit(`  ],`+"\n  "+`"off": []`, `  ]`), edit(`"rules"`, `"new": 1,`+"\n  "+`"rules"`),
			edit(`  ],`+"\n  "+`"off": []`, `  ]`, `"rules"`, `"new": 1,`+"\n  "+`"rules"`),
		},
		"one more in a list of named objects, and the first changes": {
			edit("    }\n  ]", "    },\n    {\n      \"name\": \"mine\"\n    }\n  ]"), edit(`"0.1.0"`, `"0.1.0",`+"\n      "+`"category": "x"`),
			edit("    }\n  ]", "    },\n    {\n      \"name\": \"mine\"\n    }\n  ]", `"0.1.0"`, `"0.1.0",`+"\n      "+`"category": "x"`),
		},
		"the same member on both sides": {
			edit(`"off": []`, `"off": [],`+"\n  "+`"both": 1`), edit(`"off": []`, `"off": [],`+"\n  "+`"both": 1`),
			edit(`"off": []`, `"off": [],`+"\n  "+`"both": 1`),
		},
	} {
		got, ok := mergeJSON(base, test.mine, test.theirs)
		if !ok || got != test.want {
			t.Errorf("%s: %v\n%s", name, ok, got)
		}
	}
	for name, test := range map[string]struct{ mine, theirs string }{
		"the same value":              {edit(`"default"`, `"seed"`), edit(`"default"`, `"other"`)},
		"the same value in a list":    {edit(`"0.1.0"`, `"1.0.0"`), edit(`"0.1.0"`, `"2.0.0"`)},
		"the same list":               {edit(`["a","b"]`, `["a","b","c"]`), edit(`["a","b"]`, `["a"]`)},
		"removed here, changed there": {edit(`  "rules": "default",`+"\n", ""), edit(`"default"`, `"other"`)},
		"one name, two values":        {edit(`"off"`, `"x": 1,`+"\n  "+`"off"`), edit(`"rules"`, `"x": 2,`+"\n  "+`"rules"`)},
		"one name, two places":        {edit(`"off"`, `"x": 1,`+"\n  "+`"off"`), edit(`"rules"`, `"x": 1,`+"\n  "+`"rules"`)},
		"not JSON any more":           {edit(`"off": []`, `"off": [],`), edit(`"default"`, `"other"`)},
		"twice the same":              {edit(`"off": []`, `"off": [], "off": []`), edit(`"default"`, `"other"`)},
		"all on one line":             {strings.Join(strings.Fields(edit(`"default"`, `"seed"`)), ""), edit(`["a","b"]`, `["a"]`)},
	} {
		if got, ok := mergeJSON(base, test.mine, test.theirs); ok {
			t.Errorf("%s: merged\n%s", name, got)
		}
	}
}

// A merge of JSON is JSON, or there is none; the trivial ones always succeed.
func FuzzMergeJSON(f *testing.F) {
	f.Add("{\n \"a\": 1\n}", "{\n \"a\": 1,\n \"b\": 2\n}", "{\n \"c\": [\n  {\"name\": \"x\"}\n ],\n \"a\": 1\n}")
	f.Add("[\n1,\n2\n]", "[\n1\n]", "[\n1,\n2,\n3\n]")
	f.Add("{}", "1", "null")
	f.Fuzz(func(t *testing.T, base, mine, theirs string) {
		merged, ok := mergeJSON(base, mine, theirs)
		if _, err := decode(merged); ok && err != nil {
			t.Fatalf("%q: %v", merged, err)
		}
		for _, text := range []string{base, mine, theirs} {
			if _, err := decode(text); err == nil && noCommas(commas(text)) != text {
				t.Fatalf("%q comes back as %q", text, noCommas(commas(text)))
			}
		}
		_, errBase := decode(base)
		_, errMine := decode(mine)
		if errBase != nil || errMine != nil {
			return
		}
		for _, got := range [][3]string{{base, mine, base}, {base, base, mine}, {base, mine, mine}} {
			if merged, ok := mergeJSON(got[0], got[1], got[2]); !ok || merged != mine {
				t.Fatalf("mergeJSON(%q) = %q, %v; want %q", got, merged, ok, mine)
			}
		}
	})
}
