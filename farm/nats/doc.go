// Package nats connects a farm's coordinator and workers with NATS. It implements farm.Bus
// ([Open]) and farm.Transport ([Dial]), and is the only package that imports NATS.
//
// The coordinator embeds the server or connects to one by URL. Results go through a JetStream
// stream that writes to the disk before it acknowledges. A full stream rejects messages, and
// the worker's outbox waits. Everything else is a request.
//
// Workers and owners have no right on any subject of JetStream. A stream sends its answer to any subject that
// the client names, in the server's name. So a client with such a right could send messages in the name of
// any other. Files are therefore requested piece by piece from the coordinator.
package nats
