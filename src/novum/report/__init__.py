"""How results look: numbers, tables as text and HTML, axes to draw on."""
