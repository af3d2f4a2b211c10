package players

import "golang.org/x/sys/windows"

// scarcities are the errors that a start returns if the machine lacks a resource. They are not the engine's fault.
var scarcities = []error{
	windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY, windows.ERROR_NO_SYSTEM_RESOURCES,
	windows.ERROR_COMMITMENT_LIMIT, windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_QUOTA,
}
