"""What the bodies of Error messages carry, for programs that receive them."""

from engine.core.dialog.error_message import error_code, error_description

__all__ = ["error_code", "error_description"]
