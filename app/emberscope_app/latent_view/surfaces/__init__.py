"""The two maps: plane and space, camera, pointer, OpenGL."""
