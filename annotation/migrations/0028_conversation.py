"""A dialogue belongs to a conversation: those that stand here are conversations of their own."""

from django.db import migrations, models

from parley.sql_files import install

FILL = "UPDATE annotation_dialogue SET conversation = key"
TRIGGER = """
CREATE TRIGGER annotation_own_conversation BEFORE INSERT OR UPDATE ON annotation_dialogue
    FOR EACH ROW EXECUTE FUNCTION annotation_own_conversation();
"""
NO_TRIGGER = "DROP TRIGGER annotation_own_conversation ON annotation_dialogue"
NO_FUNCTION = "DROP FUNCTION annotation_own_conversation"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0027_texts")]

    operations = [
        migrations.AddField(
            model_name="dialogue",
            name="conversation",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="What the dialogue is a part of. If empty, the database fills in its own key.",
                max_length=200,
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        install("annotation", "own_conversation", backward=NO_FUNCTION),
        migrations.RunSQL(TRIGGER, NO_TRIGGER),
        migrations.AddConstraint(
            model_name="dialogue",
            constraint=models.CheckConstraint(
                condition=models.Q(("conversation", ""), _negated=True), name="dialogue_has_its_conversation"
            ),
        ),
        migrations.AddIndex(
            model_name="dialogue",
            index=models.Index(fields=["study", "conversation"], name="dialogues_by_conversation"),
        ),
        migrations.AddIndex(
            model_name="dialogue",
            index=models.Index(
                condition=models.Q(("conversation", models.F("key")), _negated=True),
                fields=["study"],
                name="dialogues_in_conversations",
            ),
        ),
    ]
