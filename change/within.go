package change

// Within is the edit of a file that was read by Open without a directory, now bound
// to one: for a link in it the error wraps a *folder.LinkError. It reads nothing.
func (e Edit) Within(dir string) (Edit, error) {
	read := e.at
	e.In = dir
	err := e.locate()
	if err == nil {
		in, _, reached := e.reach()
		if err = reached; err == nil {
			err = in.Close()
		}
	}
	if err == nil && e.at != read {
		err = ErrChanged // the link that was there is gone
	}
	if err != nil {
		return Edit{}, failed("open", e.Path, err)
	}
	return e, nil
}
