// Package configs turns what the user writes (a TOML file, flags, the name of
// a ready series) into a match.Plan. It is the only place with strings,
// defaults and optional fields: a Plan has resolved values only.
//
// The way of a series:
//
//	file := configs.Find or Load or &File{}   strict TOML
//	file.Apply(flags)                         flags win over the file
//	file.Plan(dir, env)                       defaults, paths, binaries, openings
//	greet each engine (elsewhere)
//	identities.Complete(plan, greetings)        options checked, identities whole
//	identities.Settings(player, plan, options)  what each engine is sent
//
// Rules that hold everywhere:
//
//   - A relative path is relative to where it was written: to the file's
//     folder, or to the working directory when it came from a flag.
//   - A flag stands for the key of the same name at the top of the file. What an
//     engine's own table says is more specific and stays, except under
//     --option all.NAME=VALUE, which means every engine.
//   - Every error says where (file and line, or flag), what is wrong there and
//     what was expected. All errors of one step are reported together.
//   - The keys of the file are the toml tags of File; there is no second list.
package configs
