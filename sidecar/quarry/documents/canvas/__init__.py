"""What does a canvas say? `parse.py` reads its JSON, `groups.py` orders its nodes, `text.py` makes text of them."""
