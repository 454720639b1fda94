"""The desktop application: Qt at the edge, no numerics of its own."""

from emberscope_app.guard import install

install()  # before any class of the application is made
