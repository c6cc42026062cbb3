from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("play", "0005_started"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(fields=("game", "user"), name="one_seat_a_person"),
        ),
    ]
