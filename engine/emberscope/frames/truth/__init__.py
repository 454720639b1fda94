"""Truth files that accompany frames: AGT and box metrics."""
