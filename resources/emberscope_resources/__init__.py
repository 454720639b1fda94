"""Data files of Emberscope: icons, recipes, help pages. Read with importlib.resources."""
