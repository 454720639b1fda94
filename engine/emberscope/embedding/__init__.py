"""Methods that map X to Z, one module each; the catalogue lists them. Nothing is imported here."""
