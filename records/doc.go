// Package records brings games out of a store into files of any format, and files of
// games into a store. It streams: however many games there are, it holds one. Formats are
// values (formats.Format), whether they are text or what evaluations are trained with.
package records
