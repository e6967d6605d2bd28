// Package templates is data: the text of everything springfield generates.
//
// shared/suite becomes the root of a suite, shared/plugin the root of every
// plugin, <strategy>/ adds to it. shared/parts holds what several texts have in
// common, shared/memory the paragraph for a memory file, shared/launcher the
// script for plugins with several binaries. Every template ends in .tmpl, so that none of them
// acts on this repository. about.yaml of a strategy is read, not rendered; its icon.png is copied.
package templates

import "embed"

// Files holds all templates, dot files too.
//
//go:embed all:*
var Files embed.FS
