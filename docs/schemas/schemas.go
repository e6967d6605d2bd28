// Package schemas carries the published JSON Schemas, so that the CLI and editors use the same text. Each
// schema is a file here named NAME.schema.json. The $id is the public address.
package schemas

import "embed"

// Files holds the schemas.
//
//go:embed *.schema.json
var Files embed.FS
