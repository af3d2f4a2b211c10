// Package toolcmd implements the small commands: completion prints a script for a shell, version prints the
// build, and dev groups the commands for developers.
package toolcmd

import (
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/internal/version"
)

// VersionCommand prints the version and the build of the program.
type VersionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object: version, revision, go, os, arch."`
}

// Run prints the version and the build in one line, or as JSON.
func (c *VersionCommand) Run(env *cli.Env) error {
	own := version.Own()
	if c.JSON {
		return format.JSON(env.Out, own)
	}
	_, err := fmt.Fprintf(env.Out, "%s %s, commit %s, %s, %s/%s\n", env.Program, own.Version, own.Revision, own.Go, own.OS,
		own.Arch)
	return err
}
