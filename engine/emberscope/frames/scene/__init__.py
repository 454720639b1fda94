"""The generated range: sequences of frames with truth, made from nothing but a seed."""
