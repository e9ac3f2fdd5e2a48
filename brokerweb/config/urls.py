"""Addresses: API, pages of logging in, admin, and the single-page application for everything else."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path, re_path
from django.views.generic import RedirectView

from brokerweb.accounts.views import PasswordLogin, log_out, login_link
from brokerweb.config.api import api
from brokerweb.config.metrics.view import metrics
from brokerweb.config.views import application_page

# Everything the front end's own router may show. What belongs to the server, or is a file that is not there, is
# not found instead: a missing script answered with a page only moves the error to a stranger place.
APPLICATION_ADDRESSES = (
    r"^(?!(?:api|static|assets|ws|admin|metrics)(?:/|$))"
    r"(?!.*\.(?:js|css|map|json|svg|png|ico|txt|woff2?|webmanifest)$).*$"
)

handler500 = "brokerweb.config.views.failed"
urlpatterns = [
    path("api/v1/", api.urls),
    path("login", PasswordLogin.as_view(), name="login"),
    path("login/link/<str:token>", login_link, name="login-link"),
    path("logout", log_out, name="logout"),
    path("metrics", metrics, name="metrics"),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    # Django's own form would keep no record; the page of one's account does.
    path("admin/password_change/", RedirectView.as_view(url="/account")),
    path("admin/", admin.site.urls),
    re_path(APPLICATION_ADDRESSES, application_page, name="application"),
]
