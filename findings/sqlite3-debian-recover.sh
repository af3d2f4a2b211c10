#!/usr/bin/env bash
# The command .recover of Debian 12's sqlite3 fails for every database, also for a sound one, and saves no row.
#
# Version: sqlite3 3.40.1-2+deb12u2 (Debian 12).
# Input: a new database with one table of two rows.
# Right: .recover writes the SQL text that makes the database again, as .dump does. SQLite's documentation of the shell has it
# as the command for damaged databases.
# Behaviour: .recover writes settings, then the error "SQL logic error", and no table or row. Its exit code is 1.
# The command needs the table sqlite_dbpage, and the library is built without it (SQLITE_ENABLE_DBPAGE_VTAB). A shell of 3.46.1
# that was built with this option recovers the rows.
#
#> dump has 2 rows
#> recover has 0 rows, exit code 1
#> sql error: SQL logic error (1)
#> tables named sqlite_dbpage: no such table: sqlite_dbpage
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' sqlite3 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends sqlite3=3.40.1-2+deb12u2; } >/dev/null
sqlite3 games.db "CREATE TABLE games (id INTEGER PRIMARY KEY, result TEXT); INSERT INTO games (result) VALUES ('1-0'), ('0-1');"
# rows counts the lines that insert a row.
rows() { grep -c '^ *INSERT' "$1" || true; }
sqlite3 games.db .dump >dump
sqlite3 games.db .recover >recover 2>errors && code=0 || code=$?
{
	echo "dump has $(rows dump) rows"
	echo "recover has $(rows recover) rows, exit code $code"
	cat errors
	echo "tables named sqlite_dbpage: $(sqlite3 games.db 'SELECT count(*) FROM sqlite_dbpage' 2>&1 | grep -o 'no such table.*')"
} >seen
cat seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
