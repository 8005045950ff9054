"""What the report says of each kind of record: parts of a chapter, and metrics. A file a subject; nothing is judged."""
