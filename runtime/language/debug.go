package language

func (f *Finder) Which(c Class, s string) string {
	for _, e := range f.entries(c) {
		if f.matches(e, s) {
			return e
		}
	}
	return ""
}
