// Loads a file of Docker Compose as Docker Compose does, and prints name, image and published ports of each service, a line each.
//
//	compose FILE
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if err := print(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func print(path string) error {
	// Files that it names are the user's.
	options, err := cli.NewProjectOptions([]string{path}, cli.WithName("check"), cli.WithWorkingDirectory(filepath.Dir(path)),
		cli.WithoutEnvironmentResolution)
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	for name, service := range project.Services {
		line := name + " " + service.Image
		for _, port := range service.Ports {
			line += " " + port.Published
		}
		fmt.Println(line)
	}
	return nil
}
