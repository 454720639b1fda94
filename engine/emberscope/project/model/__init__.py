"""What a project is: plain data that changes only through operations. No Qt."""
