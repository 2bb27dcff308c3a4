"""Workshop lessons: content files, and the games and live experiments that they use."""
