from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("training", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="trainingsession",
            name="engine",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="trainingsession",
            name="ended_seconds",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="trainingsession",
            name="touched_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
