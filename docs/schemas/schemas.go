// Package schemas carries the published JSON Schemas, so that the CLI judges
// files by the same text that editors fetch. Every schema is a file here named
// NAME.schema.json; its $id is its public address.
package schemas

import "embed"

// Files holds the schemas.
//
//go:embed *.schema.json
var Files embed.FS
