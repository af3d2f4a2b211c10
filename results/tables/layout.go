package tables

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gogi/internal/lists"
)

// Layout describes a table of the schema.
type Layout struct {
	Name    string
	Columns []columnLayout // in the order of the columns in a row
	Keyed   bool           // WITHOUT ROWID: rows are sorted by the primary key and have no other number

	// measure calculates the following fields from the others, because a check of a long run needs them for each value.
	places map[string]int // places of the columns
	summed []int          // places of the columns that a row's checksum covers, in order
	always int            // number of these columns that are older than the checksum, so that every checksum covers them
	joined []int          // places of joinedColumns; of those of another table: -1
}

// columnLayout describes a column of a table.
type columnLayout struct {
	Name, Kind string // kind is INTEGER, REAL, TEXT or BLOB
	fallback   string // SQL value for rows that are older than the column
	key        int    // place in the primary key, from 1; 0: not part of it
	must       bool   // the column is NOT NULL
}

// Derived reports whether gogi calculates the rows of the table from the rows of other tables.
func (l *Layout) Derived() bool { return l.Name == "segments" || l.Name == "stored" }

// Names returns the names of the columns.
func (l *Layout) Names() []string {
	return lists.Map(l.Columns, func(c columnLayout) string { return c.Name })
}

// index returns the place of a column in a row, or -1 if the table does not have the column.
func (l *Layout) index(column string) int {
	if i, known := l.places[column]; known {
		return i
	}
	return -1
}

// measure calculates the fields that follow from the columns. summed omits the number of a game, an opening, an attempt
// or a worker, because SQLite assigns this number after the checksum is calculated. Readers detect a wrong number
// anyway, because they use it to find related rows.
func (l *Layout) measure() {
	l.places, l.summed = make(map[string]int, len(l.Columns)), nil
	for i, c := range l.Columns {
		l.places[c.Name] = i
		switch {
		case c.Name == "checksum":
			l.always = len(l.summed)
		case c.Name == "id" && (l.Name == "games" || l.Name == "openings" || l.Name == "attempts" || l.Name == "workers"):
		default:
			l.summed = append(l.summed, i)
		}
	}
	l.joined = lists.Map(joinedColumns, func(c joinedColumn) int {
		if c.table != l.Name {
			return -1
		}
		return l.index(c.name)
	})
}

// Schema describes a version of the database: its tables, and the SQL texts of everything that the migrations
// create.
type Schema struct {
	Tables []Layout // parents before children, as they were created
	Texts  map[string]string
	Always map[string]int // by table: the number of columns that every checksum of a row covers
}

// Table returns the table with this name.
func (s *Schema) Table(name string) *Layout {
	i := slices.IndexFunc(s.Tables, func(l Layout) bool { return l.Name == name })
	return &s.Tables[i]
}

// CurrentSchema returns the schema that all migrations create in an empty database. It is calculated only
// once.
var CurrentSchema = sync.OnceValues(func() (*Schema, error) {
	texts, err := MigrationTexts()
	if err != nil {
		return nil, err
	}
	return schemaAfter(texts)
})

// SchemaOf returns the schema of a version of the database. Versions are numbered from 1.
func SchemaOf(version int) (*Schema, error) {
	texts, err := MigrationTexts()
	if err != nil {
		return nil, err
	}
	return schemaAfter(texts[:version])
}

// schemaAfter returns the schema that migrations create in an empty database in memory.
func schemaAfter(texts []string) (*Schema, error) {
	ctx := context.Background()
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // the database was in memory
	db.SetMaxOpenConns(1)             // each connection would have its own database
	for _, text := range texts {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return nil, fmt.Errorf("the schema: %w", err)
		}
	}
	return ReadSchema(ctx, db, "main")
}

// ReadSchema reads the schema of a database that is attached under the name database.
func ReadSchema(ctx context.Context, q Querier, database string) (*Schema, error) {
	s := &Schema{Texts: map[string]string{}, Always: map[string]int{}}
	err := Each(ctx, q, func(rows *sql.Rows) error {
		var kind, name, text string
		err := rows.Scan(&kind, &name, &text)
		s.Texts[name] = text
		if kind == "table" {
			s.Tables = append(s.Tables, Layout{Name: name, Keyed: strings.Contains(text, "WITHOUT ROWID")})
		}
		return err
	}, "SELECT type, name, coalesce(sql, '') FROM "+database+
		".sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY rowid")
	for i := range s.Tables {
		if err == nil {
			s.Tables[i].Columns, err = List(ctx, q, func(rows *sql.Rows, c *columnLayout) error {
				return rows.Scan(&c.Name, &c.Kind, &c.fallback, &c.key, &c.must)
			}, "SELECT name, type, coalesce(dflt_value, 'NULL'), pk, [notnull] FROM pragma_table_info(?, ?) ORDER BY cid",
				s.Tables[i].Name, database)
			s.Tables[i].measure()
			s.Always[s.Tables[i].Name] = s.Tables[i].always
		}
	}
	return s, err
}

// ViewsFor returns statements that make an older database look like a current one. A temporary view hides the
// table with the same name and adds the missing columns. Missing tables become empty views. The file itself
// does not change.
func ViewsFor(current, old *Schema) []string {
	var views []string
	for _, want := range current.Tables {
		i := slices.IndexFunc(old.Tables, func(l Layout) bool { return l.Name == want.Name })
		var missing []string
		for _, c := range want.Columns {
			if i < 0 || old.Tables[i].index(c.Name) < 0 {
				missing = append(missing, c.fallback+" AS "+c.Name)
			}
		}
		switch {
		case want.Name == "stored" && i < 0:
			views = append(views, viewOfStored)
		case i < 0:
			views = append(views, "CREATE TEMP VIEW "+want.Name+" AS SELECT "+strings.Join(missing, ", ")+" WHERE 0")
		case len(missing) > 0:
			views = append(views, "CREATE TEMP VIEW "+want.Name+" AS SELECT *, "+strings.Join(missing, ", ")+" FROM main."+want.Name) //nolint:unqueryvet // all columns, and those that are missing
		}
	}
	return views
}

// Takes reports whether SQLite accepts the value v in this column of a STRICT table.
func (c *columnLayout) Takes(v any) (ok bool) {
	switch c.Kind {
	case "INTEGER":
		_, ok = v.(int64)
	case "REAL":
		_, ok = v.(float64)
	case "TEXT":
		_, ok = v.(string)
	default:
		_, ok = v.([]byte)
	}
	return ok || v == nil
}

// Rowid returns the place of the column that is SQLite's row number, or -1 if the table has no such column.
func (l *Layout) Rowid() int {
	several := slices.ContainsFunc(l.Columns, func(c columnLayout) bool { return c.key > 1 })
	if l.Keyed || several {
		return -1
	}
	return slices.IndexFunc(l.Columns, func(c columnLayout) bool { return c.key == 1 })
}

// Stored returns the order of the columns in the file, as indices of Columns. In a table WITHOUT ROWID the columns
// of the primary key come first (sqlite.org/fileformat2.html, section 2.4).
func (l *Layout) Stored() []int {
	var order []int
	for i := range l.Columns {
		order = append(order, i)
	}
	if l.Keyed {
		slices.SortStableFunc(order, func(a, b int) int { return l.Columns[a].rank() - l.Columns[b].rank() })
	}
	return order
}

// Least returns the smallest number of columns that a stored row with a checksum can have. Columns that were added
// to the schema later come after the checksum, and older rows do not have them.
func (l *Layout) Least() int { return l.index("checksum") + 1 }

// rank returns a sort key for a column: the columns of the primary key by their place in it, then all others.
func (c *columnLayout) rank() int {
	if c.key > 0 {
		return c.key
	}
	return 1 << 10
}
