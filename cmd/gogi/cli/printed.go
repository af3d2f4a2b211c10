package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// ofPackage matches a prefix of an error that names a package or an internal step of gogi. Such a prefix has
// no meaning for a user.
var ofPackage = regexp.MustCompile(`^((results|keys|usi|runner|process|convert|reading a series): )+`)

// printed returns the text that gogi prints for an error. This text has no names of packages, and the same words
// for a missing file in all packages.
func printed(err error) string {
	text := ofPackage.ReplaceAllString(err.Error(), "")
	for _, step := range []string{": finding a run: ", ": repairing: ", ": opening: "} {
		text = strings.Replace(text, step, ": ", 1)
	}
	missing, ok := errors.AsType[*fs.PathError](err)
	switch {
	case ok && pathProblem(missing) != "":
		return strings.Replace(text, missing.Error(), pathProblem(missing), 1)
	case !errors.Is(err, fs.ErrNotExist):
		return text
	case !ok || !errors.Is(missing, fs.ErrNotExist):
		return notFound(text)
	}
	before, after, found := strings.Cut(text, missing.Error())
	if !found {
		return text
	}
	what, remedy := missing.Path+" not found", "; check the path"
	if folder := filepath.Dir(missing.Path); !exists(folder) {
		what, remedy = missing.Path+" not found: the folder "+folder+" does not exist", "; make it, or check the path"
	}
	if strings.Contains(before, filepath.Base(missing.Path)+": ") || strings.HasPrefix(before, "model ") ||
		strings.HasPrefix(before, "<") || strings.HasPrefix(before, "[<") {
		before = ""
	}
	if after != "" {
		remedy = ""
	}
	return before + what + after + remedy
}

// pathProblem returns the text for the system's error about a path: the path, the problem and what to do. It returns ""
// for a missing file, and for errors that it does not know.
func pathProblem(err *fs.PathError) string {
	switch {
	case err.Op == "mkdir" && exists(filepath.Dir(err.Path)):
		return fmt.Sprintf("the folder %s cannot be created: %v; give another path, or change the permissions of %[3]s",
			err.Path, err.Err, filepath.Dir(err.Path))
	case errors.Is(err, syscall.EISDIR):
		return err.Path + " is a folder; give a file"
	case errors.Is(err, syscall.ENOTDIR):
		return err.Path + ": a part of this path is a file, not a folder; check the path"
	case errors.Is(err, fs.ErrPermission) && !strings.HasPrefix(err.Op, "fork"):
		return err.Path + ": permission denied; change the permissions of the file or of its folder, or give another path"
	}
	return ""
}

// notFound replaces the system's message about a missing file in text by gogi's message.
func notFound(text string) string {
	words := syscall.ENOENT.Error()
	text = strings.ReplaceAll(text, " cannot be started: "+words, " not found")
	text = strings.ReplaceAll(text, ": "+words, " not found")
	if strings.HasSuffix(text, " not found") {
		text += "; check the path"
	}
	return text
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
