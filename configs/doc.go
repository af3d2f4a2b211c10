// Package configs turns a TOML file, flags or the name of a built-in series into a match.Plan. Only this
// package has optional fields and defaults, because a Plan has only resolved values. Start at [File]: its
// toml tags are the list of all keys.
//
//	file := configs.Find or Load or &File{}   strict TOML
//	file.Apply(flags)                         flags replace keys of the file
//	file.Plan(dir, env)                       defaults, paths, binaries, openings
//	greet each engine                         package players
//	identity.Complete(plan, greetings)        checks options, completes identities
//	identity.Settings(player, plan, options)  the options that gogi sends to each engine
//
// These rules hold everywhere:
//
//   - A relative path is relative to the place where it was written: the folder of the file,
//     or the working directory for a flag.
//   - A flag replaces the key of the same name at the top of the file. A key in an engine's
//     own table is more specific and keeps its value, except with --option all.NAME=VALUE,
//     which sets the option of every engine.
//   - Every error names the file and line, or the flag, then the problem and the expected
//     value. One step reports all its errors together.
//   - The keys of the file are the toml tags of File. The flags, and the keys that they
//     replace, are the tags of Flags. No second list exists.
package configs
