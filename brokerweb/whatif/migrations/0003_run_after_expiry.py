from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("whatif", "0002_settled_count"),
    ]

    operations = [
        migrations.AlterField(
            model_name="assertionrun",
            name="trigger",
            field=models.CharField(
                choices=[
                    ("person", "Person"),
                    ("revision", "Revision"),
                    ("expiry", "Expiry"),
                    ("command", "Command"),
                ],
                max_length=16,
            ),
        ),
    ]
