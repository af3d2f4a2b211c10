// Package site is a farm on one machine: the folder of its secrets and keys, its
// settings, and the coordinator with its bus and its database, which meet here. It also
// copies all of that for a backup, and builds it anew from one.
package site
