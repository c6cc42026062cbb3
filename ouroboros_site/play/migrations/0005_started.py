"""What the new columns hold for games of before. By itself, since PostgreSQL changes no table whose rows were just changed."""

from django.db import migrations, models


def one_seat_a_person(apps, schema_editor):
    """Of two seats that met in one account the first stays theirs, as it was the one played."""
    Seat = apps.get_model("play", "Seat")
    taken = set()
    for pk, game, user in (
        Seat.objects.filter(user__isnull=False)
        .order_by("index")
        .values_list("pk", "game", "user")
        .filter(game__players__gt=1)
    ):
        if (game, user) in taken:
            Seat.objects.filter(pk=pk).update(user=None)
        taken.add((game, user))


def started_when_created(apps, schema_editor):
    Game = apps.get_model("play", "Game")
    Game.objects.update(started=models.F("created"))
    Game.objects.filter(players__gt=1, finished=None).update(turn_since=models.F("updated"))


class Migration(migrations.Migration):
    dependencies = [
        ("play", "0004_people"),
    ]

    operations = [
        migrations.RunPython(started_when_created, migrations.RunPython.noop),
        migrations.RunPython(one_seat_a_person, migrations.RunPython.noop),
    ]
