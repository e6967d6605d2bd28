package closing

import "github.com/cameronsjo/springfield/runtime/language"

func Debug(text string, p func(...any)) {
	c := Read(text)
	p(c.Languages())
	for n, list := range map[string][]sentence{"near": c.near, "intro": c.intro, "final": c.final} {
		for _, s := range list {
			p(n, s.folded, string(s.end))
			for _, cl := range language.Classes() {
				for _, f := range c.in {
					if e := f.Which(cl, s.folded); e != "" {
						p("     ", f.Pack.Code, cl, e)
					}
				}
			}
		}
	}
}
