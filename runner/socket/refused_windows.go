package socket

import "golang.org/x/sys/windows"

// refused is the error where nobody listens to a socket any more.
const refused = windows.WSAECONNREFUSED
