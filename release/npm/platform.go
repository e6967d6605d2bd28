package main

import "strings"

// scoped is the name of the main package. The plain name belongs to another project.
const scoped = "@cameronsjo/springfield"

// platform is a machine that springfield runs on, in the words of a release and in those of npm.
type platform struct {
	asset    string // the program among the files of a release
	os, arch string // what node calls the machine: process.platform, process.arch
}

// platforms are all of them. Every other part takes them from here.
func platforms() []platform {
	return []platform{
		{"springfield-linux-amd64", "linux", "x64"},
		{"springfield-linux-arm64", "linux", "arm64"},
		{"springfield-darwin-amd64", "darwin", "x64"},
		{"springfield-darwin-arm64", "darwin", "arm64"},
		{"springfield-windows-amd64.exe", "win32", "x64"},
		{"springfield-windows-arm64.exe", "win32", "arm64"},
	}
}

// name is that of the package with the program for this machine.
func (p platform) name() string { return scoped + "-" + p.os + "-" + p.arch }

// program is the path of the program in its package, with slashes.
func (p platform) program() string {
	if p.os == "win32" {
		return "bin/springfield.exe"
	}
	return "bin/springfield"
}

// names are all packages in the order in which they are published: a user who gets the main package can get those that
// it names.
func names() (all []string) {
	for _, p := range platforms() {
		all = append(all, p.name())
	}
	return append(all, scoped)
}

// folder is the directory of a package, and archive the file that npm pack makes of it.
func folder(name string) string { return name[strings.LastIndex(name, "/")+1:] }

func archive(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}
