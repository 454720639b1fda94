"""A project shown to a reader: pictures of its maps, the HTML page, files for other programs. No window needed."""
