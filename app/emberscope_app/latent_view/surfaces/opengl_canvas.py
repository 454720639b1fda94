"""Draws the cloud with OpenGL through vispy: the same glyphs, colors and camera as the software
canvas."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from vispy import app, gloo

from emberscope_app.latent_view.points.draws import DIM
from emberscope_app.latent_view.points.point_painter import (
    FAR_OPACITY,
    SORTED_MAX,
    opacity,
    same_arrays,
)
from emberscope_app.latent_view.points.rasterizer import screen_positions
from emberscope_app.latent_view.points.sprites import CHOSEN, FAR_SIZE, RADIUS, RING
from emberscope_app.latent_view.surfaces.camera import Camera, floor_lines
from emberscope_app.state.points.cloud import Cloud
from emberscope_app.theme.look import current

_VERTEX = """
attribute vec3 a_place;
attribute vec3 a_color;
attribute float a_slot;
uniform mat4 u_view;
uniform vec2 u_scale;
uniform vec2 u_depth;
uniform float u_radius;
uniform float u_ring;
uniform float u_strength;
varying vec4 v_color;
varying float v_slot;
varying float v_radius;
varying float v_size;
void main() {
    vec4 seen = u_view * vec4(a_place, 1.0);
    float near = clamp((u_depth.y - seen.z) / (u_depth.y - u_depth.x), 0.0, 1.0);
    v_radius = u_radius * mix(FAR_SIZE, 1.2, near);
    v_size = 2.0 * (1.3 * v_radius + 2.0 * u_ring) + 2.0;
    v_color = vec4(a_color.rgb, u_strength * (u_ring > 0.0 ? 1.0 : mix(FAR_OPACITY, 1.0, near)));
    v_slot = a_slot;
    float z = 2.0 * (seen.z - 0.01) / 100.0 - 1.0;
    gl_Position = vec4(seen.xy * u_scale, z * seen.z, seen.z);
    gl_PointSize = v_size;
}
""".replace("FAR_SIZE", str(FAR_SIZE)).replace("FAR_OPACITY", str(FAR_OPACITY))

_FRAGMENT = """
uniform vec3 u_ink;
uniform float u_ring;
uniform float u_stroke;
uniform float u_solid;
varying vec4 v_color;
varying float v_slot;
varying float v_radius;
varying float v_size;
float box(vec2 p, vec2 half_) { vec2 d = abs(p) - half_; return max(d.x, d.y); }
float triangle(vec2 p, float r) {
    float side = (abs(p.x) * 1.85 + p.y * 1.0 - 1.1 * r) / 2.103;
    return max(side, -p.y - 0.75 * r);
}
float glyph(vec2 p, float r) {
    if (v_slot < 0.5 || (v_slot > 3.5 && v_slot < 4.5))
        return (abs(p.x) + abs(p.y) - 1.15 * r) * 0.7071;
    if (v_slot < 1.5) return length(p) - r;
    if (v_slot < 2.5) return box(p, vec2(0.88 * r));
    if (v_slot < 3.5) return triangle(p, r);
    if (v_slot < 5.5) return triangle(vec2(p.x, -p.y), r);
    if (v_slot < 6.5) return box(p, vec2(0.4 * r, 1.1 * r));
    if (v_slot < 7.5) return min(box(p, vec2(1.1 * r, 0.36 * r)), box(p, vec2(0.36 * r, 1.1 * r)));
    vec2 q = vec2(p.x + p.y, p.x - p.y) * 0.7071;
    return min(box(q, vec2(r, 0.2 * r)), box(q, vec2(0.2 * r, r)));
}
void main() {
    vec2 p = (gl_PointCoord - 0.5) * v_size;
    p.y = -p.y;
    float d = glyph(p, v_radius);
    float inside = clamp(0.5 - (v_slot < 0.5 ? abs(d) - 0.5 * u_stroke : d), 0.0, 1.0);
    float ring = u_ring > 0.0 ? clamp(0.5 - (d - u_ring), 0.0, 1.0) : 0.0;
    float cover = max(inside, ring);
    if (cover < (u_solid > 0.5 ? 0.5 : 0.01)) discard;
    vec3 color = u_ring > 0.0 ? mix(u_ink, v_color.rgb, inside) : v_color.rgb;
    gl_FragColor = vec4(color, cover * (u_solid > 0.5 ? 1.0 : v_color.a));
}
"""

_LINE_VERTEX = """
attribute vec3 a_place;
uniform mat4 u_view;
uniform vec2 u_scale;
void main() {
    vec4 seen = u_view * vec4(a_place, 1.0);
    gl_Position = vec4(seen.xy * u_scale, 0.999 * seen.z, seen.z);
}
"""
_LINE_FRAGMENT = "uniform vec4 u_color; void main() { gl_FragColor = u_color; }"


def open_canvas(
    cloud: Cloud, camera: Camera, parent: QWidget, renderer: str
) -> "OpenGLCanvas | None":
    """The canvas, or None where vispy cannot open one: the software canvas stays then."""
    try:
        return OpenGLCanvas(cloud, camera, parent, renderer)
    except (RuntimeError, OSError, ValueError) as error:
        parent.setToolTip(f"OpenGL did not start: {error}")
        return None


class OpenGLCanvas:
    """See `space.Renderer`."""

    def __init__(self, cloud: Cloud, camera: Camera, parent: QWidget, renderer: str) -> None:
        self.words = f"OpenGL, {renderer.split('/')[0].split('(')[0].strip()}"
        self._cloud, self._camera = cloud, camera
        self._canvas = app.Canvas(
            app=app.Application("pyside6"), parent=parent, autoswap=True, keys=None
        )
        self._canvas.events.draw.connect(self._draw)
        self._points = gloo.Program(_VERTEX, _FRAGMENT)
        self._lines = gloo.Program(_LINE_VERTEX, _LINE_FRAGMENT)
        self._stale = True
        self._of: tuple[NDArray, ...] = ()  # what is uploaded
        self._plain = self._chosen = np.empty(0, np.int64)

    @property
    def widget(self) -> QWidget:
        return self._canvas.native

    def forget(self) -> None:
        self._stale = True
        self._canvas.update()

    def look_again(self) -> None:
        self._canvas.update()

    def positions(self) -> NDArray[np.float32]:
        width, height = self._size()
        return screen_positions(self._cloud.axes, self._camera.matrix(), (width, height),
                                focal=self._camera.focal(height))

    def pick(self, x: float, y: float, reach: int) -> int:
        """The nearest to the eye of the visible points within reach."""
        across, down, depth = self.positions()
        near = (np.abs(across - x) <= reach) & (np.abs(down - y) <= reach) & self._cloud.visible
        rows = np.flatnonzero(near & (depth > 0))
        return int(rows[np.argmin(depth[rows])]) if len(rows) else -1

    def _size(self) -> tuple[int, int]:
        ratio = self.widget.devicePixelRatioF()
        return max(round(self.widget.width() * ratio), 1), max(
            round(self.widget.height() * ratio), 1
        )

    def _upload(self) -> None:
        cloud = self._cloud
        self._points["a_place"] = np.ascontiguousarray(cloud.places)
        self._points["a_color"] = cloud.style.rgb / np.float32(255)
        self._points["a_slot"] = np.where(cloud.slots > 7, 8, cloud.slots).astype(np.float32)
        self._plain = np.flatnonzero(cloud.visible & ~cloud.selected)
        self._chosen = np.flatnonzero(cloud.visible & cloud.selected)
        lines = floor_lines(*cloud.limits) if cloud.limits is not None else np.empty((0, 2, 3))
        self._floor = lines.reshape(-1, 3).astype(np.float32)
        self._stale, self._of = False, cloud.drawn

    def _draw(self, event: Any) -> None:
        ground = QColor(current().plot)
        width, height = self._size()
        gloo.set_viewport(0, 0, width, height)
        gloo.set_clear_color((ground.redF(), ground.greenF(), ground.blueF(), 1.0))
        gloo.clear(color=True, depth=True)
        if not len(self._cloud):
            return
        if self._stale or not same_arrays(self._of, self._cloud.drawn):
            self._upload()
        self._set_view(width, height)
        if len(self._floor):
            self._draw_floor()
        solid = len(self._plain) > SORTED_MAX
        self._draw_rows(self._plain, ring=0.0, solid=solid)
        if len(self._chosen):
            gloo.clear(color=False, depth=True)
            self._draw_rows(self._chosen, ring=RING, solid=len(self._chosen) > SORTED_MAX)

    def _set_view(self, width: int, height: int) -> None:
        view = np.eye(4, dtype=np.float32)
        view[:3] = self._camera.matrix()
        focal = self._camera.focal(height)
        for program in (self._points, self._lines):
            program["u_view"] = view.T  # column-major
            program["u_scale"] = (2 * focal / width, 2 * focal / height)
        self._points["u_depth"] = self._camera.depth_range(self._cloud.radius)

    def _draw_floor(self) -> None:
        edge = QColor(current().edge)
        gloo.set_state(
            depth_test=False, blend=True, blend_func=("src_alpha", "one_minus_src_alpha")
        )
        self._lines["a_place"] = self._floor
        self._lines["u_color"] = (edge.redF(), edge.greenF(), edge.blueF(), 0.38)
        self._lines.draw("lines")

    def _draw_rows(self, rows: NDArray, *, ring: float, solid: bool) -> None:
        if not len(rows):
            return
        ratio, ink = self.widget.devicePixelRatioF(), QColor(current().ink)
        if not solid:
            depth = self._cloud.places[rows] @ self._camera.matrix()[2, :3]
            rows = rows[np.argsort(-depth, kind="stable")]
        gloo.set_state(
            depth_test=solid, blend=not solid, blend_func=("src_alpha", "one_minus_src_alpha")
        )
        self._points["u_radius"] = RADIUS * ratio * (CHOSEN if ring else 1.0)
        self._points["u_ring"], self._points["u_stroke"] = ring * ratio, 1.2 * ratio
        self._points["u_solid"] = float(solid)
        self._points["u_ink"] = (ink.redF(), ink.greenF(), ink.blueF())
        strength = (
            1.0 if ring else min(opacity(len(rows)) * 1.3, 0.9) * (DIM if self._cloud.dims else 1.0)
        )
        self._points["u_strength"] = strength
        self._points.draw("points", gloo.IndexBuffer(rows.astype(np.uint32)))
