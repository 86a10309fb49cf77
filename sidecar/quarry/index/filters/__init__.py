"""
Filters: a condition compiled to SQL, and the notes that match it.

    filter                        the compiler, and the notes that match
    phrases                       where a phrase stands, as SQL
    properties, tasks             what a property means, and which tasks a text holds
"""
