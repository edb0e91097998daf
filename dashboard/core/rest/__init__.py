"""What every API view uses: errors, parsers, pagination, fields of registered components."""
