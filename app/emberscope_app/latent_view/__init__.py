"""Maps of a run: one point cloud shared by the 2-D and the 3-D map, one software rasterizer under
both."""
