// Package nats connects a farm's coordinator and workers with NATS. It implements farm.Bus ([Open]) and
// farm.Transport ([Dial]), and is the only package that imports the client of NATS.
//
// The coordinator runs a NATS server in its process ([Start]) or connects to an outside server by URL. Package
// embedded has the server, so that programs without a coordinator do not link it. Results go through
// JetStream, the part of NATS that stores messages: its stream writes a message to the disk before it
// acknowledges the message. A full stream rejects messages, and the worker's outbox stores them until there
// is space. Every other message is a request.
//
// Workers and owners have no right on any subject of JetStream. JetStream sends its answer to any subject
// that the client names, and the answer seems to come from the server. So a client with such a right could
// send messages in the name of any other client. For this reason workers do not read files from JetStream:
// they request them from the coordinator in pieces.
package nats
