package release

import "github.com/cameronsjo/springfield/internal/scratch"

var must = scratch.Must
