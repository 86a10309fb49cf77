"""Context blocks: named queries whose quotes are kept, and built anew only where something they stand on changed."""
