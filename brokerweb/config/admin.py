"""Django's admin as a whole: its title, and what it leaves out."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.models import Group

# Rights come from the role; an empty list of groups would only raise questions.
admin.site.unregister(Group)
admin.site.site_header = "brokerweb"
admin.site.site_title = "brokerweb"
