"""The desktop application: Qt at the edge, no numerics of its own."""

from emberscope_app import guard, plain

guard.install()  # before any class of the application is made
plain.install()
