"""Maps and plots on paper: painters that know no file, canvases that know no plot, and the data
below a figure."""
