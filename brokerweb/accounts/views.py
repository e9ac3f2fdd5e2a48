"""The pages of logging in: password form, one-time link, log out."""

from __future__ import annotations

from django.contrib.auth import login, logout
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from brokerweb.accounts.devices import device_remember
from brokerweb.accounts.link_proof import link_proof_give
from brokerweb.accounts.services import LinkRefusal, LoginLinkRefused, login_link_use, login_link_user

BACKEND = "brokerweb.accounts.throttling.ThrottledBackend"

REFUSALS = {
    LinkRefusal.UNKNOWN: (
        _("This login link is not known"),
        _("It may have been cut off when it was copied, or it belongs to another installation."),
    ),
    LinkRefusal.USED: (
        _("This login link was already used"),
        _("Each link opens the dashboard once, so that nobody can use it after you."),
    ),
    LinkRefusal.EXPIRED: (_("This login link has expired"), _("A link is valid for a short time only.")),
    LinkRefusal.SWITCHED_OFF: (
        _("This account is switched off"),
        _("The link was made before an administrator switched the account off."),
    ),
}


@method_decorator(never_cache, name="dispatch")
class PasswordLogin(LoginView):
    """The plain login page, for when there is no session."""

    template_name = "brokerweb/login.html"
    redirect_authenticated_user = True


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def login_link(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a one-time link: its button uses it up and opens the dashboard.

    Programs look at links before people do, such as scanners of mail: looking uses nothing up.
    """
    try:
        if request.method != "POST":
            title = _("Log in as {username}").format(username=login_link_user(token).username)
            return render(request, "brokerweb/login_link.html", {"title": title})
        user = login_link_use(token)
    except LoginLinkRefused as refusal:
        if request.user.is_authenticated:
            # Somebody who is in already followed an old link: what they want is the dashboard.
            return redirect("/")
        title, why = REFUSALS[refusal.reason]
        page = render(request, "brokerweb/login_link_refused.html", {"title": title, "why": why}, status=410)
    else:
        login(request, user, backend=BACKEND)
        device_remember(request, user.username)
        link_proof_give(request)
        page = redirect("/")
    page["Referrer-Policy"] = "no-referrer"
    return page


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """End the session and show the login page."""
    logout(request)
    return redirect("login")
