import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0022_item_asks")]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["batch", "position"], name="items_by_place"),
        ),
        migrations.AlterField(
            model_name="item",
            name="batch",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="items",
                to="annotation.batch",
            ),
        ),
    ]
