"""
Filters: a condition compiled to SQL, and the notes that match it.

    filter                        the compiler, and the notes that match
    phrases                       where a phrase stands, as SQL
    properties                    what a property means
    blocks                        which lines, blocks and tasks a text contains, and what they say
"""
