#!/usr/bin/env python
"""Django's command-line entry."""

import os
import sys

from brokerweb.config.process.early_exit import leave_at_once_on_signals

if sys.argv[1:2] == ["run"]:
    # Before anything else is imported, which takes seconds in which a person may think better of it.
    leave_at_once_on_signals()

from brokerweb.config.env import ConfigurationError

REFUSED = 2
"""Exit code of a command that could do nothing, as of those that refuse their arguments."""


def main() -> None:
    """Run one Django command; a setting that cannot be used ends it with a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.dev")
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except ConfigurationError as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(REFUSED)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
