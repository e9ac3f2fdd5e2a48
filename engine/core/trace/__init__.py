"""Events as rows of the vendor's SQL Trace: classes, subclasses and columns by name and number (views.md 4)."""
