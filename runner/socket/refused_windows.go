package socket

import "golang.org/x/sys/windows"

// refused is the error of a socket without a listening process.
const refused = windows.WSAECONNREFUSED
