// Adds what moves to pages that read without it.
