"""String in, values out: decoding, scrubbing, front matter, Markdown, links, chunks, queries and snippets."""
