"""What a finished run says: concepts found, headline, what differs, strengths, coloring,
description."""
