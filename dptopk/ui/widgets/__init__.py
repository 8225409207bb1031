"""Draw figures, tables, downloads and links with Streamlit."""
