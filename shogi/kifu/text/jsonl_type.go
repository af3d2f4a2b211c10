package text

// JSONRecord is the JSON object of a record in the format jsonl, which AppendJSON writes.
type JSONRecord = jsonRecord
