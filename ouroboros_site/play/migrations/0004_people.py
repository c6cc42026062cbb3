import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("play", "0003_tables"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Pulse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="SeatChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField(verbose_name="version")),
                ("seat", models.PositiveSmallIntegerField(verbose_name="seat")),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("sat", "sat down"),
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
                ("created", models.DateTimeField(auto_now_add=True, verbose_name="created")),
            ],
            options={
                "verbose_name": "change of a seat",
                "verbose_name_plural": "changes of seats",
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="game",
            name="host",
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="host"),
        ),
        migrations.AddField(
            model_name="game",
            name="key",
            field=models.CharField(
                blank=True, editable=False, max_length=32, null=True, unique=True
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="listed",
            field=models.BooleanField(default=False, verbose_name="listed"),
        ),
        migrations.AddField(
            model_name="game",
            name="rematch_of",
            field=models.OneToOneField(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rematch",
                to="play.game",
                verbose_name="rematch of",
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="started",
            field=models.DateTimeField(
                blank=True, default=django.utils.timezone.now, null=True, verbose_name="started"
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="talk",
            field=models.JSONField(blank=True, default=list, editable=False),
        ),
        migrations.AddField(
            model_name="game",
            name="turn_since",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="game",
            name="turn_time",
            field=models.PositiveIntegerField(
                blank=True,
                choices=[(45, "45 seconds"), (86400, "one day")],
                null=True,
                verbose_name="turn time",
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="votes",
            field=models.JSONField(blank=True, default=list, editable=False),
        ),
        migrations.AddField(
            model_name="seat",
            name="hand_over",
            field=models.CharField(
                blank=True, editable=False, max_length=64, null=True, unique=True
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="hand_over_until",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="seat",
            name="left",
            field=models.DateTimeField(blank=True, null=True, verbose_name="left"),
        ),
        migrations.AddField(
            model_name="seat",
            name="muted",
            field=models.JSONField(blank=True, default=list, editable=False),
        ),
        migrations.AddField(
            model_name="seat",
            name="seen",
            field=models.DateTimeField(blank=True, null=True, verbose_name="seen"),
        ),
        migrations.AddField(
            model_name="seatchange",
            name="by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="seatchange",
            name="game",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="changes", to="play.game"
            ),
        ),
        migrations.AddField(
            model_name="seatchange",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="seat_changes",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
