"""What Streamlit has no widget for: each a folder with its Python, its script and its style."""
