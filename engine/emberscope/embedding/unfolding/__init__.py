"""Maximum variance unfolding: distances to neighbors kept, everything else pulled apart."""
