#!/usr/bin/env python
"""Django's command-line entry."""

import os
import sys

from brokerweb.config.process.early_exit import leave_at_once_on_signals

if sys.argv[1:2] == ["run"]:
    # Before anything else is imported, which takes seconds in which a person may think better of it.
    leave_at_once_on_signals()

from brokerweb.config.process.refusal import ends_with_a_sentence


def main() -> None:
    """Run one Django command; a setting that cannot be used ends it with a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.dev")
    try:
        with ends_with_a_sentence():
            from django.core.management import execute_from_command_line

            execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
