package builder

import (
	"encoding/binary"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// filter returns an open file with a seccomp filter for bubblewrap, a classic BPF program as in seccomp(2). Namespaces
// do not separate what it forbids; such a system call fails with EACCES. filter returns nil on architectures that it
// does not know. The caller closes the file.
func filter() (*os.File, error) {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.Close() }()
	if err = binary.Write(w, binary.NativeEndian, filterOf(arch)); err != nil { // a pipe holds far more bytes than this
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// forbidden returns the system calls that a job may not use. The first makes sockets of any family without the call
// socket; the others read keys and the log of the system.
func forbidden() []uint32 {
	return []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_SYSLOG}
}

// filterOf returns the filter for an architecture. It forbids the calls of another architecture, because they have
// other numbers, and sockets but for Unix, IPv4, IPv6 and netlink. With a vsock socket, for example, a virtual machine
// reaches its host from any namespace. The data of a call are its number (4 bytes), the architecture (4 bytes), an
// address (8 bytes) and the arguments of 8 bytes each (struct seccomp_data, little-endian here).
func filterOf(arch uint32) []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		least  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		result = unix.BPF_RET | unix.BPF_K

		x32 = 0x40000000 // from this number on, the calls are those of x32, a second set on amd64
	)
	allow, deny := unix.SockFilter{Code: result, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: result, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)}
	lines := []unix.SockFilter{ // Jt and Jf are the numbers of lines to skip if the comparison is true or false
		{Code: load, K: 4}, {Code: equal, K: arch, Jt: 1}, deny,
		{Code: load, K: 0}, {Code: least, K: x32, Jf: 1}, deny,
	}
	for _, call := range forbidden() {
		lines = append(lines, unix.SockFilter{Code: equal, K: call, Jf: 1}, deny)
	}
	lines = append(lines, unix.SockFilter{Code: equal, K: unix.SYS_SOCKET, Jt: 1}, allow,
		unix.SockFilter{Code: load, K: 16})
	for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		lines = append(lines, unix.SockFilter{Code: equal, K: family, Jf: 1}, allow)
	}
	return append(lines, deny)
}
