// Package site runs the coordinator's side of a farm on one machine: the folder with its keys
// and settings, the bus, the database and the coordinator. [Open] opens a [Site] from a
// [Config]. [Backup] copies a farm's state, and [Restore] builds a farm from a copy.
package site
