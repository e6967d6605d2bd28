package language

// Named is the pack of a language, nil if there is none.
func Named(code string) *Pack {
	data := dataOf(code)
	if data == "" {
		return nil
	}
	return packOf(code, data)
}
