"""What the pages share that Streamlit does not draw: the payers' and the sign-in pages."""
