"""What the database knows of the stored files."""
