from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("play", "0006_one_seat"),
    ]

    operations = [
        migrations.AlterField(
            model_name="seatchange",
            name="what",
            field=models.CharField(
                choices=[
                    ("sat", "sat down"),
                    ("moved", "changed seats"),
                    ("stood", "stood up before the start"),
                    ("removed", "was removed"),
                    ("host", "became the host"),
                    ("left", "left, a bot plays"),
                    ("late", "ran out of time, a bot plays"),
                    ("voted", "was absent, a bot plays by vote"),
                    ("back", "came back"),
                    ("handed", "took the seat over by a code"),
                ],
                max_length=8,
                verbose_name="what",
            ),
        ),
    ]
