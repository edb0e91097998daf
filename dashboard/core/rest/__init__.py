"""What every API view uses: operations, errors, parsers, pagination, fields of registered components."""
