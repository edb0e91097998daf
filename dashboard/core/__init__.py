"""What every app uses: texts, command lines, template tags."""
