"""What slides over the right edge of the window: methods, learned, believe, published, export,
import, classes."""
