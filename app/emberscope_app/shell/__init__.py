"""The window: header, dock areas, workspaces, palette, status bar, start page, help, project
files."""
