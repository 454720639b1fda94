"""Emberscope: label loosely, see the manifold.

The numerical library under the desktop application. Importing this package
imports nothing heavy; import the room you need (``emberscope.frames`` ...).
"""

__version__ = "0.1.0"
