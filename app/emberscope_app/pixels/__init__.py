"""What reads frames for thumbnails and chips."""
