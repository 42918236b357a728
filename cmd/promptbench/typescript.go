// This file holds the TypeScript SDK as a peer, where there are Node and npm.

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// typeScriptSDK is the fastest of those published, of which the second major version
// is slower.
const typeScriptSDK = "@modelcontextprotocol/sdk@1.32.2"

//go:embed typescript.mjs
var typeScriptServer []byte

// errNoNode tells that there is nothing to run TypeScript with.
var errNoNode = errors.New("node or npm is missing")

// newTypeScript makes a program of the SDK in a directory and returns its path. The
// SDK is installed into a cache folder of the user's, the first time.
func newTypeScript(ctx context.Context, dir string) (program string, err error) {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return "", errNoNode
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	installed := filepath.Join(cache, "promptbench", filepath.Base(typeScriptSDK))
	if _, err := os.Stat(installed); errors.Is(err, fs.ErrNotExist) {
		err = install(ctx, installed)
		if err != nil {
			return "", err
		}
	} else if err != nil {
		return "", err
	}
	// Node looks for modules beside the program.
	program = filepath.Join(dir, "typescript.mjs")
	return program, errors.Join(
		os.WriteFile(program, typeScriptServer, 0o666),
		os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")),
	)
}

// install has npm install the SDK beside the folder that it gets once all is there.
func install(ctx context.Context, folder string) (err error) {
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, "installing-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := output(ctx, dir, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, typeScriptSDK); err != nil {
		return err
	}
	if err := os.Rename(dir, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep the TypeScript SDK: %w", err)
	}
	return nil
}
