// Package templates embeds the text of all generated files.
//
// shared/suite is the root of a suite; shared/plugin with <strategy>/ is that of a plugin. shared/parts has common
// parts, shared/memory the paragraph for a memory file, shared/launcher the script for plugins with several binaries.
// Templates end in .tmpl; about.yaml is only read, icon.png is copied.
package templates

import "embed"

//go:embed all:*
var Files embed.FS
