from django.db import migrations, models
from django.utils import timezone


def end_logins_of_accounts_that_are_off(apps, schema_editor):
    """Switched on again, they would let in by sessions, links and tokens of the time before."""
    now = timezone.now()
    off = apps.get_model("accounts", "User").objects.filter(is_active=False)
    off.update(session_generation=1)
    apps.get_model("accounts", "LoginLink").objects.filter(user__in=off, expires_at__gt=now).update(expires_at=now)
    record = apps.get_model("accounts", "AccountChange").objects
    for token in apps.get_model("accounts", "ApiToken").objects.filter(user__in=off).select_related("user"):
        record.create(
            changed_at=now,
            username=token.user.username,
            what="token-revoked",
            before=f"{token.beginning}… {token.name}"[:150],
        )
        token.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_attempt_count"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="session_generation",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunPython(end_logins_of_accounts_that_are_off, migrations.RunPython.noop),
    ]
