// Package bus is the way between a farm's coordinator and its workers, on NATS: it
// implements farm.Bus and farm.Transport, and is the only importer of NATS.
//
// The coordinator embeds the server, or is given one by URL. Results go through a
// JetStream stream that is on the disk before it is acknowledged; it takes no more when
// it is full, and the worker's outbox waits. Everything else is a request that is
// answered, or repeated by its asker. Workers and owners have no right on any subject
// of JetStream: what a stream answers goes to whatever subject the asker names, in the
// server's own name, so such a right would be one to speak as anybody. Artefacts are
// therefore asked for piece by piece, of the coordinator.
package bus
