"""A project shown to a reader: images of its maps, the HTML page, files for other programs. No
window needed."""
