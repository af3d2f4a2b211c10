// Package site runs the coordinator of a farm on one machine: the folder with its keys and settings, the
// connection to the workers, the database and the coordinator. [Open] opens a [Site] from a [Config].
// [Backup] copies a farm's state, and [Restore] creates a farm from a backup.
package site
