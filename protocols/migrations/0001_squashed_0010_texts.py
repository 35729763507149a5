"""The tables of protocols as they are after 0001 to 0010, for a new database; one that has some of these goes through them."""

import django.db.models.deletion
from django.db import migrations, models
from parley.sql_files import install

# Who may change what is said in protocols/sql. TRUNCATE is not caught: tests empty tables with it.
TRIGGERS = """
CREATE TRIGGER protocols_frozen BEFORE UPDATE ON protocols_protocol
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_protocol();
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_protocolversion
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_version();
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_criterion
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('version_id');
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_option
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('criterion_id');
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_example
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('criterion_id');
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_explanation
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('option_id');
"""


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ("protocols", "0001_initial"),
        ("protocols", "0002_freeze"),
        ("protocols", "0003_engine"),
        ("protocols", "0004_presentation"),
        ("protocols", "0005_alone"),
        ("protocols", "0006_dimensions"),
        ("protocols", "0007_flagged"),
        ("protocols", "0008_rating_screen"),
        ("protocols", "0009_functions"),
        ("protocols", "0010_texts"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Protocol',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='ProtocolVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=40)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('retired', 'Retired')], default='draft', max_length=10)),
                ('language', models.CharField(default='en', help_text='ISO code of the texts, for example en.', max_length=20)),
                ('summary', models.TextField(blank=True)),
                ('citation', models.TextField(blank=True, help_text='Where the protocol was published.')),
                ('unit', models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue')], default='response', max_length=20)),
                ('granularity', models.CharField(choices=[('turn', 'Turn'), ('dialogue', 'Dialogue')], default='turn', max_length=10)),
                ('mode', models.CharField(choices=[('absolute', 'Absolute'), ('comparative', 'Comparative')], default='absolute', max_length=12)),
                ('interaction', models.CharField(choices=[('static', 'Static'), ('interactive', 'Interactive')], default='static', max_length=12)),
                ('order', models.CharField(choices=[('criterion_first', 'Criterion first'), ('item_first', 'Item first'), ('set_level', 'Set level')], default='criterion_first', max_length=20)),
                ('context_title', models.CharField(blank=True, help_text='Heading above the dialogue.', max_length=200)),
                ('item_title', models.CharField(blank=True, help_text='Heading above the response to rate.', max_length=200)),
                ('scale_above', models.BooleanField(default=False, help_text='Show every point of each scale, with its text, above what is rated.')),
                ('options', models.CharField(choices=[('compact', 'In a row, described one at a time'), ('described', 'In a list, each with its description')], db_default='compact', default='compact', help_text='How the options of a question are laid out on the screen.', max_length=10)),
                ('response', models.CharField(choices=[('in_place', 'In the dialogue'), ('beside', 'In the dialogue and beside the question')], db_default='in_place', default='in_place', help_text='Where the response to rate is shown on the screen.', max_length=10)),
                ('guide', models.CharField(choices=[('on_request', 'On request'), ('in_view', 'Always in view')], db_default='on_request', default='on_request', help_text='When the short guidelines are shown on the screen.', max_length=10)),
                ('flagged', models.CharField(choices=[('answer', 'Answer'), ('skip', 'Skip')], db_default='answer', default='answer', help_text='Whether annotators must still answer an item they have flagged.', max_length=10)),
                ('expected_minutes', models.PositiveSmallIntegerField(default=35, help_text='Expected time for one batch.')),
                ('max_minutes', models.PositiveSmallIntegerField(default=90, help_text='After this the seat is free again.')),
                ('batch_items', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Both times are for a batch of this many items and are scaled for other batches. 0: the times apply to any batch.')),
                ('reading_seconds', models.PositiveSmallIntegerField(default=0, help_text='No answer is accepted until a dialogue has been open for this long.')),
                ('words_min', models.PositiveSmallIntegerField(default=3, help_text='Minimum words of a free text.')),
                ('words_max', models.PositiveSmallIntegerField(default=30, help_text='Maximum words of a free text.')),
                ('feedback_box', models.BooleanField(default=True, help_text='Ask for remarks at the end of a batch.')),
                ('welcome', models.TextField(blank=True)),
                ('changes', models.TextField(blank=True, help_text='What is new. Shown once to everyone who has worked with another version.')),
                ('notices', models.JSONField(blank=True, default=list, help_text='Short sentences shown above every item.')),
                ('guidelines_short', models.TextField(blank=True, help_text='Markdown, on the rating screen.')),
                ('guidelines', models.TextField(blank=True, help_text='Markdown, one click away.')),
                ('dimensions', models.JSONField(blank=True, db_default=[], default=list, help_text='[{"name": ..., "definition": ...}]: for the checklist of the report.')),
                ('translations', models.JSONField(blank=True, default=dict, help_text='{ISO code: the same texts, by key}')),
                ('sha256', models.CharField(blank=True, editable=False, max_length=64)),
                ('published_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='protocols.protocolversion')),
                ('protocol', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='protocols.protocol')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('protocol', 'version'), name='one_version_name_per_protocol'), models.CheckConstraint(condition=models.Q(('status', 'draft'), models.Q(('published_at__isnull', False), models.Q(('sha256', ''), _negated=True)), _connector='OR'), name='published_version_has_hash_and_time'), models.CheckConstraint(condition=models.Q(('words_min__lte', models.F('words_max'))), name='words_min_below_max'), models.CheckConstraint(condition=models.Q(('expected_minutes__lte', models.F('max_minutes'))), name='expected_time_below_maximum')],
            },
        ),
        migrations.CreateModel(
            name='Criterion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.SlugField(max_length=80)),
                ('name', models.CharField(max_length=200)),
                ('short', models.CharField(blank=True, help_text='A short label for tables.', max_length=20)),
                ('question', models.TextField()),
                ('definition', models.TextField(blank=True)),
                ('kind', models.CharField(choices=[('single', 'one option'), ('multiple', 'any number of options'), ('computed', 'computed from other answers'), ('turns', 'turns of the dialogue')], default='single', max_length=10)),
                ('unit', models.CharField(blank=True, choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue')], help_text="If different from the version's.", max_length=20)),
                ('scale', models.CharField(choices=[('nominal', 'Nominal'), ('ordinal', 'Ordinal'), ('interval', 'Interval')], default='nominal', max_length=10)),
                ('required', models.BooleanField(default=True)),
                ('when', models.JSONField(blank=True, default=list, help_text='[{"criterion": key, "options": [keys]}]: asked while this holds.')),
                ('rules', models.JSONField(blank=True, default=list, help_text='[{"when": [...], "option": key}]: the first that holds counts.')),
                ('position', models.PositiveSmallIntegerField()),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='criteria', to='protocols.protocolversion')),
            ],
            options={
                'verbose_name_plural': 'criteria',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('version', 'key'), name='one_criterion_key_per_version'), models.UniqueConstraint(fields=('version', 'position'), name='one_criterion_per_position')],
            },
        ),
        migrations.CreateModel(
            name='Example',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=200)),
                ('facts', models.JSONField(blank=True, default=list, help_text='Facts about the speaker, shown with the history.')),
                ('history', models.JSONField(help_text='Turns: [{"speaker": "A", "text": "..."}]')),
                ('candidates', models.JSONField(blank=True, default=list, help_text='[{"text": "...", "option": "option key", "why": "..."}]')),
                ('rated_turn', models.PositiveSmallIntegerField(blank=True, help_text='Counted from 1.', null=True)),
                ('option', models.CharField(blank=True, help_text="The key of the history's evaluation.", max_length=80)),
                ('why', models.TextField(blank=True)),
                ('position', models.PositiveSmallIntegerField()),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='examples', to='protocols.criterion')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('criterion', 'position'), name='one_example_per_position')],
            },
        ),
        migrations.CreateModel(
            name='Option',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.SlugField(max_length=80)),
                ('label', models.CharField(max_length=200)),
                ('definition', models.TextField(blank=True)),
                ('conditions', models.JSONField(blank=True, default=list, help_text='Sentences: it fits when any of them holds.')),
                ('role', models.CharField(choices=[('positive', 'Positive'), ('negative', 'Negative'), ('neutral', 'Neutral'), ('unsure', 'Unsure'), ('excluding', 'Excluding')], default='neutral', max_length=10)),
                ('value', models.FloatField(blank=True, help_text='The number of an ordinal or interval answer.', null=True)),
                ('asks', models.CharField(choices=[('nothing', 'nothing'), ('explanation', 'predefined explanations or free text, may be left empty'), ('explanation_required', 'predefined explanations or free text, required'), ('free_text', 'free text, required')], default='nothing', max_length=20)),
                ('alone', models.BooleanField(db_default=False, default=False, help_text='In a multiple choice: cannot be combined with another option.')),
                ('words_min', models.PositiveSmallIntegerField(blank=True, help_text="If different from the version's.", null=True)),
                ('words_max', models.PositiveSmallIntegerField(blank=True, help_text="If different from the version's.", null=True)),
                ('position', models.PositiveSmallIntegerField()),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='options', to='protocols.criterion')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('criterion', 'key'), name='one_option_key_per_criterion'), models.UniqueConstraint(fields=('criterion', 'position'), name='one_option_per_position')],
            },
        ),
        migrations.CreateModel(
            name='Explanation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.SlugField(max_length=80)),
                ('text', models.TextField()),
                ('sub_dimension', models.CharField(max_length=80)),
                ('position', models.PositiveSmallIntegerField()),
                ('option', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='explanations', to='protocols.option')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('option', 'key'), name='one_explanation_key_per_option'), models.UniqueConstraint(fields=('option', 'position'), name='one_explanation_per_position')],
            },
        ),
        install("protocols", "guard_version", "require_draft", "guard_part", "guard_protocol"),
        migrations.RunSQL(TRIGGERS, migrations.RunSQL.noop),
    ]
