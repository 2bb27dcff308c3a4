"""What only the screen needs: everything here may import streamlit."""
