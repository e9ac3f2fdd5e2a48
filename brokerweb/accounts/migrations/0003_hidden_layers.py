from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_rights_tokens_preferences")]

    operations = [
        migrations.AddField("user", "hidden_layers", models.JSONField(blank=True, default=list)),
    ]
