package results

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// layout is a table of the schema.
type layout struct {
	name    string
	columns []columnLayout // in the order in which rows have them
	keyed   bool           // WITHOUT ROWID: rows stand in the order of the primary key, and nothing else numbers them
}

// columnLayout is a column of a table.
type columnLayout struct {
	name, kind string // kind is INTEGER, REAL, TEXT or BLOB
	fallback   string // what a row has that was stored before there was such a column, in SQL
	key        int    // its place in the primary key, from 1; 0: none
}

// names are those of the columns.
func (l *layout) names() []string {
	var list []string
	for _, c := range l.columns {
		list = append(list, c.name)
	}
	return list
}

// index is the place of a column, -1 for none.
func (l *layout) index(column string) int {
	return slices.IndexFunc(l.columns, func(c columnLayout) bool { return c.name == column })
}

// schema is the current one: the tables by name, and the texts of everything that
// the migrations create.
type schema struct {
	tables []layout // parents before children, as they were created
	texts  map[string]string
	always map[string]int // by table: the second of layout.summed
}

func (s *schema) table(name string) *layout {
	i := slices.IndexFunc(s.tables, func(l layout) bool { return l.name == name })
	return &s.tables[i]
}

// currentSchema is what the migrations make of an empty database, found once.
var currentSchema = sync.OnceValues(func() (*schema, error) {
	texts, err := migrationTexts()
	if err != nil {
		return nil, err
	}
	return schemaAfter(texts)
})

// schemaOf is the schema of a version, from 1.
func schemaOf(version int) (*schema, error) {
	texts, err := migrationTexts()
	if err != nil {
		return nil, err
	}
	return schemaAfter(texts[:version])
}

// schemaAfter runs migrations in memory.
func schemaAfter(texts []string) (*schema, error) {
	ctx := context.Background()
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it was in memory
	db.SetMaxOpenConns(1)             // each connection would have a database of its own
	for _, text := range texts {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return nil, fmt.Errorf("the schema: %w", err)
		}
	}
	return readSchema(ctx, db, "main")
}

// readSchema is the schema that a database has.
func readSchema(ctx context.Context, q querier, database string) (*schema, error) {
	s := &schema{texts: map[string]string{}, always: map[string]int{}}
	err := each(ctx, q, func(rows *sql.Rows) error {
		var kind, name, text string
		err := rows.Scan(&kind, &name, &text)
		s.texts[name] = text
		if kind == "table" {
			s.tables = append(s.tables, layout{name: name, keyed: strings.Contains(text, "WITHOUT ROWID")})
		}
		return err
	}, "SELECT type, name, coalesce(sql, '') FROM "+database+".sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY rowid")
	for i := range s.tables {
		if err == nil {
			s.tables[i].columns, err = readColumns(ctx, q, database, s.tables[i].name)
			_, s.always[s.tables[i].name] = s.tables[i].summed()
		}
	}
	return s, err
}

func readColumns(ctx context.Context, q querier, database, table string) (list []columnLayout, err error) {
	err = each(ctx, q, func(rows *sql.Rows) error {
		var c columnLayout
		err := rows.Scan(&c.name, &c.kind, &c.fallback, &c.key)
		list = append(list, c)
		return err
	}, "SELECT name, type, coalesce(dflt_value, 'NULL'), pk FROM pragma_table_info(?, ?) ORDER BY cid", table, database)
	return list, err
}

// viewsFor are statements that make an older database look like a current one: a
// temporary view of a table's name hides the table, and adds the columns that it
// lacks; tables that it lacks are empty views. The file itself is left as it is.
func viewsFor(current, old *schema) []string {
	var views []string
	for _, want := range current.tables {
		i := slices.IndexFunc(old.tables, func(l layout) bool { return l.name == want.name })
		var missing []string
		for _, c := range want.columns {
			if i < 0 || old.tables[i].index(c.name) < 0 {
				missing = append(missing, c.fallback+" AS "+c.name)
			}
		}
		switch {
		case i < 0:
			views = append(views, "CREATE TEMP VIEW "+want.name+" AS SELECT "+strings.Join(missing, ", ")+" WHERE 0")
		case len(missing) > 0:
			views = append(views, "CREATE TEMP VIEW "+want.name+" AS SELECT *, "+strings.Join(missing, ", ")+" FROM main."+want.name)
		}
	}
	return views
}
