"""Elements that pages show (figures, tables, tiles and texts), and the files made of them."""
