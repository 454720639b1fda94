"""Is there a graphics card? Asked without a window; software OpenGL counts as none: ours is
faster."""

from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext

_SOFTWARE = (
    "llvmpipe",
    "softpipe",
    "swrast",
    "swiftshader",
    "software",
    "gdi generic",
    "basic render",
)
_NO_WINDOW_SYSTEM = ("offscreen", "minimal", "vnc", "linuxfb")
_GL_RENDERER = 0x1F01


def hardware_renderer(*, any_kind: bool = False) -> str:
    """Name of the OpenGL renderer, "" where there is none or only software; `any_kind` takes
    software too."""
    if QGuiApplication.platformName() in _NO_WINDOW_SYSTEM:
        return ""
    context, surface = QOpenGLContext(), QOffscreenSurface()
    surface.create()
    if not context.create() or not surface.isValid() or not context.makeCurrent(surface):
        return ""
    name = str(context.functions().glGetString(_GL_RENDERER) or "")
    context.doneCurrent()
    if any_kind or (name and not is_software(name)):
        return name
    return ""


def is_software(renderer: str) -> bool:
    """Whether a renderer name means that the processor draws."""
    return any(word in renderer.lower() for word in _SOFTWARE)
