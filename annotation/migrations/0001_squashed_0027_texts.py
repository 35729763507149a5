"""The tables of annotation as they are after 0001 to 0027, for a new database; one that has some of these goes through them."""

import annotation.models.study
import django.contrib.postgres.fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models
from annotation.researchers import GROUP, permissions
from parley.sql_files import install

# The function that records an answer inserts rows without these columns' values.
DEFAULTS = """
ALTER TABLE annotation_item ALTER COLUMN shown SET DEFAULT '{}';
ALTER TABLE annotation_rating ALTER COLUMN choices SET DEFAULT '{}', ALTER COLUMN turns SET DEFAULT '{}';
ALTER TABLE annotation_ratingrevision ALTER COLUMN choices SET DEFAULT '{}', ALTER COLUMN turns SET DEFAULT '{}';
"""
# The log, and what a model was asked and said, are evidence: added to, never rewritten. TRUNCATE stays possible.
TRIGGERS = """
CREATE TRIGGER annotation_append_only BEFORE UPDATE OR DELETE ON annotation_activitylog
    FOR EACH ROW EXECUTE FUNCTION annotation_append_only();
CREATE TRIGGER annotation_calls_append_only BEFORE UPDATE OR DELETE ON annotation_judgecall
    FOR EACH ROW EXECUTE FUNCTION annotation_calls_append_only();
"""


def make_group(apps, schema_editor):
    """Make the group Researchers. Django makes permissions after all migrations, so those of the group are made here."""
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=GROUP)
    for app, model, codename in permissions():
        kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label=app, model=model)
        named = {"content_type": kind, "codename": codename}
        name = {"name": "Can " + codename.replace("_", " ")}
        permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(**named, defaults=name)
        group.permissions.add(permission)


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ("annotation", "0001_initial"),
        ("annotation", "0002_engine"),
        ("annotation", "0003_record_answer"),
        ("annotation", "0004_language_and_times"),
        ("annotation", "0005_exports"),
        ("annotation", "0006_annotators"),
        ("annotation", "0007_predictions"),
        ("annotation", "0008_datasheet"),
        ("annotation", "0009_people_and_rounds"),
        ("annotation", "0010_conduct"),
        ("annotation", "0011_role_words"),
        ("annotation", "0012_whole_active_time"),
        ("annotation", "0013_prompt_speaker"),
        ("annotation", "0014_speaker"),
        ("annotation", "0015_asker"),
        ("annotation", "0016_reading_order"),
        ("annotation", "0017_word_scale"),
        ("annotation", "0018_researchers"),
        ("annotation", "0019_marks"),
        ("annotation", "0020_text_format"),
        ("annotation", "0021_participant_joined_on"),
        ("annotation", "0022_item_asks"),
        ("annotation", "0023_items_by_place"),
        ("annotation", "0024_functions"),
        ("annotation", "0025_status_and_study_record"),
        ("annotation", "0026_words_in_rows"),
        ("annotation", "0027_texts"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ('auth', '__first__'),
        ("protocols", "0001_squashed_0010_texts"),
    ]

    operations = [
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('queue', models.CharField(max_length=40, unique=True)),
                ('beaten_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('content_language', models.CharField(blank=True, help_text="Of the protocol's texts as annotators read them; empty: its main one.", max_length=20)),
                ('text_format', models.CharField(choices=[('plain', 'As typed: every character and line break'), ('markdown', 'Formatted as Markdown: lists, tables, code, bold')], db_default='plain', default='plain', help_text='How dialogues and responses are shown.', max_length=10)),
                ('expected_minutes', models.PositiveSmallIntegerField(blank=True, help_text="If not the protocol's.", null=True)),
                ('max_minutes', models.PositiveSmallIntegerField(blank=True, help_text="If not the protocol's.", null=True)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed')], default='draft', max_length=10)),
                ('is_dealt_to_groups', models.BooleanField(db_default=False, default=False, help_text='The group of the first annotator takes the batch; nobody from another group may join.')),
                ('seats', models.PositiveSmallIntegerField(default=3, help_text='Votes per item: annotators of each batch.')),
                ('seed', models.PositiveIntegerField(default=annotation.models.study.make_seed, help_text='Everything random is drawn from this number.')),
                ('majority_rule', models.CharField(choices=[('plurality', 'positive has strictly more votes than every other option'), ('absolute', 'positive has more than half of all votes'), ('decided', 'positive has strictly more votes than negative, not counting unsure votes')], default='plurality', max_length=12)),
                ('word_scale', models.CharField(choices=[('landis_koch', 'Landis and Koch (1977): poor, slight, fair … almost perfect'), ('krippendorff', 'Krippendorff (2004): unreliable, tentative, reliable'), ('none', 'No verbal scale')], db_default='landis_koch', default='landis_koch', help_text='The verbal scale shown beside coefficients of agreement.', max_length=12)),
                ('kappa_floor', models.FloatField(blank=True, help_text='Annotators whose kappa with the others lies surely below it are marked.', null=True)),
                ('platform', models.CharField(blank=True, help_text='Where annotators come from.', max_length=100)),
                ('pay_amount', models.DecimalField(blank=True, decimal_places=2, help_text='For a batch.', max_digits=8, null=True)),
                ('pay_currency', models.CharField(blank=True, help_text='ISO code, for example GBP.', max_length=3)),
                ('consent_text', models.TextField(blank=True)),
                ('consent_version', models.CharField(default='1', max_length=40)),
                ('is_joinable', models.BooleanField(default=False, help_text='Anyone with the invitation link may join.')),
                ('is_clearing_on_join', models.BooleanField(default=False, help_text='People who join may rate without being cleared.')),
                ('has_qualification', models.BooleanField(db_default=False, default=False, help_text="Newcomers qualify by the study's rule before they are cleared.")),
                ('join_token', models.CharField(default=annotation.models.study.make_token, editable=False, max_length=40, unique=True)),
                ('imported_record', models.JSONField(blank=True, db_default={}, default=dict, editable=False, help_text='How the study was conducted before it was imported, from its archive. Empty for a study made here.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('protocol_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='protocols.protocolversion')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'constraints': [models.CheckConstraint(condition=models.Q(('seats__gte', 1)), name='study_has_a_seat'), models.CheckConstraint(condition=models.Q(('kappa_floor__isnull', True), models.Q(('kappa_floor__gte', -1), ('kappa_floor__lte', 1)), _connector='OR'), name='kappa_floor_is_a_kappa', violation_error_message='A kappa lies between -1 and 1.'), models.CheckConstraint(condition=models.Q(('pay_amount__isnull', True), models.Q(('pay_amount__gte', 0), models.Q(('pay_currency', ''), _negated=True)), _connector='OR'), name='pay_names_its_currency', violation_error_message='Enter the pay as an amount of 0 or more with its currency, for example GBP.')],
            },
        ),
        migrations.CreateModel(
            name='ActivityLog',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verb', models.CharField(max_length=40)),
                ('object', models.CharField(blank=True, max_length=200)),
                ('details', models.JSONField(blank=True, default=dict)),
                ('at', models.DateTimeField()),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='activities', to='annotation.study')),
            ],
            options={
                'indexes': [models.Index(fields=['study', '-id'], name='activity_of_study')],
            },
        ),
        migrations.CreateModel(
            name='DatasheetAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(help_text='Its number in the datasheet, for example 3.1.1.', max_length=20)),
                ('text', models.TextField()),
                ('updated_at', models.DateTimeField()),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='datasheet_answers', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'question'), name='one_answer_per_datasheet_question')],
            },
        ),
        migrations.CreateModel(
            name='Dialogue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('position', models.PositiveIntegerField()),
                ('turns', models.JSONField(default=list)),
                ('asker', models.TextField(blank=True, db_default='', default='', help_text="The speaker who asks. If empty, the speakers' names decide.")),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('batch_key', models.CharField(blank=True, help_text='The batch the import asked for.', max_length=100)),
                ('purpose', models.CharField(choices=[('main', 'Main'), ('qualification', 'Pilot and qualification'), ('training', 'Training'), ('check', 'Check with a known answer')], db_default='main', default='main', max_length=14)),
                ('digest', models.CharField(max_length=64)),
                ('is_textless', models.BooleanField(default=False, help_text='Known by id alone, from imported ratings.')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='dialogues', to='annotation.study')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('study', 'key'), name='one_dialogue_key_per_study')],
            },
        ),
        migrations.CreateModel(
            name='ExportJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('format', models.CharField(max_length=20)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('has_names', models.BooleanField(default=False, help_text='Holds account names: for owners only.')),
                ('file_name', models.CharField(max_length=255)),
                ('language', models.CharField(default='en', help_text='The language of the person who reads its errors.', max_length=20)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('expired', 'Expired')], default='queued', max_length=10)),
                ('n_done', models.PositiveBigIntegerField(default=0, help_text='Ratings written.')),
                ('n_total', models.PositiveBigIntegerField(default=0)),
                ('n_bytes', models.PositiveBigIntegerField(default=0)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('error', models.TextField(blank=True)),
                ('n_attempts', models.PositiveSmallIntegerField(default=0, help_text='How often a worker began it.')),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exports', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='Group',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='groups', to='annotation.study')),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='one_group_name_per_study')],
            },
        ),
        migrations.CreateModel(
            name='ImportJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('dialogues', 'Dialogues'), ('ratings', 'Ratings'), ('predictions', 'Predictions')], max_length=12)),
                ('format', models.CharField(blank=True, max_length=20)),
                ('options', models.JSONField(blank=True, default=dict, help_text='Column map, create missing.')),
                ('file_name', models.CharField(max_length=255)),
                ('file_sha256', models.CharField(max_length=64)),
                ('language', models.CharField(default='en', help_text='The language of the person who reads its errors.', max_length=20)),
                ('is_dry_run', models.BooleanField(default=False)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='queued', max_length=10)),
                ('phase', models.CharField(blank=True, max_length=40)),
                ('n_done', models.PositiveBigIntegerField(default=0, help_text='Bytes read.')),
                ('n_total', models.PositiveBigIntegerField(default=0)),
                ('summary', models.JSONField(blank=True, default=dict)),
                ('errors', models.JSONField(blank=True, default=list, help_text='[{line, field, reason}], the first 200.')),
                ('n_errors', models.PositiveIntegerField(default=0)),
                ('n_attempts', models.PositiveSmallIntegerField(default=0, help_text='How often a worker began it.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='JudgeRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('criteria', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text="Ids of the criteria, in the protocol's order.", size=None)),
                ('content_language', models.CharField(blank=True, help_text='Of the texts in the prompts.', max_length=20)),
                ('endpoint', models.CharField(max_length=300)),
                ('model', models.CharField(max_length=200)),
                ('n_shots', models.PositiveSmallIntegerField(default=0)),
                ('temperature', models.FloatField(default=0)),
                ('seed', models.PositiveIntegerField()),
                ('most_targets', models.PositiveIntegerField(blank=True, help_text='The number of targets, drawn with the seed.', null=True)),
                ('requests_per_minute', models.PositiveIntegerField(default=60)),
                ('price_prompt', models.DecimalField(decimal_places=4, help_text='Per million tokens.', max_digits=12, null=True)),
                ('price_answer', models.DecimalField(decimal_places=4, help_text='Per million tokens.', max_digits=12, null=True)),
                ('currency', models.CharField(blank=True, max_length=3)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('stopped', 'Stopped'), ('failed', 'Failed'), ('done', 'Done')], default='queued', max_length=10)),
                ('n_total', models.PositiveIntegerField(default=0, help_text='Questions: targets times criteria.')),
                ('n_answered', models.PositiveIntegerField(default=0)),
                ('n_refused', models.PositiveIntegerField(default=0)),
                ('n_malformed', models.PositiveIntegerField(default=0)),
                ('n_rejected', models.PositiveIntegerField(default=0)),
                ('n_requests', models.PositiveIntegerField(default=0)),
                ('tokens_prompt', models.PositiveBigIntegerField(default=0)),
                ('tokens_answer', models.PositiveBigIntegerField(default=0)),
                ('error', models.TextField(blank=True, help_text='Why it failed, in a sentence.')),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('beaten_at', models.DateTimeField(help_text='When its worker was last known to be alive.', null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('protocol_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='protocols.protocolversion')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judge_runs', to='annotation.study')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('requests_per_minute__gte', 1)), name='judge_asks_at_some_rate'), models.CheckConstraint(condition=models.Q(('temperature__gte', 0)), name='judge_temperature_from_nought')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('researcher', 'Researcher'), ('lead', 'Team lead'), ('trainer', 'Trainer'), ('controller', 'Controller'), ('annotator', 'Annotator'), ('observer', 'Observer')], max_length=12)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'user'), name='one_role_per_person_and_study')],
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100)),
                ('name', models.CharField(max_length=200)),
                ('is_reference', models.BooleanField(default=False)),
                ('position', models.PositiveSmallIntegerField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='annotation.study')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('study', 'key'), name='one_source_key_per_study')],
            },
        ),
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('speaker', models.TextField(blank=True, db_default='', default='', help_text='Whose turn it is; empty if unknown.')),
                ('text', models.TextField()),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('dialogue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='annotation.dialogue')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='annotation.source')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('dialogue', 'key'), name='one_candidate_key_per_dialogue')],
            },
        ),
        migrations.CreateModel(
            name='ExportChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='annotation.exportjob')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('job', 'number'), name='one_export_chunk_per_number')],
            },
        ),
        migrations.CreateModel(
            name='ImportChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='annotation.importjob')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('job', 'number'), name='one_chunk_per_number')],
            },
        ),
        migrations.CreateModel(
            name='Metric',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('key', models.CharField(max_length=100)),
                ('name', models.CharField(max_length=200)),
                ('kind', models.CharField(choices=[('score', 'Score'), ('label', 'Label')], max_length=5)),
                ('higher_is_better', models.BooleanField(default=True)),
                ('origin', models.CharField(choices=[('imported', 'Imported'), ('judge', 'Model judge')], default='imported', max_length=8)),
                ('note', models.TextField(blank=True)),
                ('created_at', models.DateTimeField()),
                ('is_active', models.BooleanField(default=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('criterion', models.ForeignKey(blank=True, help_text='The criterion it predicts. If empty, a score that is compared with every criterion.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='metrics', to='protocols.criterion')),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='metrics', to='annotation.judgerun')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='metrics', to='annotation.study')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_active', True)), fields=('study', 'key'), name='one_active_metric_per_key'), models.CheckConstraint(condition=models.Q(('kind', 'score'), ('criterion__isnull', False), _connector='OR'), name='labels_belong_to_a_criterion'), models.CheckConstraint(condition=models.Q(models.Q(('origin', 'judge'), ('run__isnull', False)), models.Q(('origin', 'imported'), ('run__isnull', True)), _connector='OR'), name='a_judges_metric_has_its_run')],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pseudonym', models.CharField(max_length=80)),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('qualifying', 'Qualifying'), ('failed', 'Not qualified'), ('cleared', 'Cleared'), ('paused', 'Paused'), ('excluded', 'Excluded')], default='pending', max_length=10)),
                ('panel', models.CharField(blank=True, choices=[('', 'Not in the panel'), ('expert', 'Expert'), ('non_expert', 'Non-expert')], db_default='', default='', max_length=10)),
                ('is_imported', models.BooleanField(default=False)),
                ('consented_at', models.DateTimeField(blank=True, null=True)),
                ('consent_version', models.CharField(blank=True, max_length=40)),
                ('joined_on', models.UUIDField(blank=True, editable=False, help_text='The form that made the account, so that sending it twice makes one.', null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('briefed_version', models.ForeignKey(blank=True, help_text='The version whose texts they have read.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='protocols.protocolversion')),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='participants', to='annotation.group')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='participations', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='annotation.study')),
            ],
            options={
                'indexes': [models.Index(fields=['study', 'status'], name='participants_by_status')],
                'constraints': [models.UniqueConstraint(fields=('study', 'pseudonym'), name='one_pseudonym_per_study'), models.UniqueConstraint(fields=('study', 'user'), name='one_participation_per_person_and_study'), models.UniqueConstraint(fields=('study', 'joined_on'), name='one_account_per_form_that_was_sent'), models.CheckConstraint(condition=models.Q(('is_imported', True), ('user__isnull', False), _connector='OR'), name='only_imported_participants_lack_a_user')],
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100)),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('pilot', 'Pilot'), ('training', 'Training'), ('qualification', 'Qualification'), ('main', 'Main'), ('review', 'Review'), ('re_rating', 'Re-rating'), ('adjudication', 'Adjudication')], default='main', max_length=14)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed')], default='draft', max_length=10)),
                ('position', models.PositiveIntegerField()),
                ('n_items', models.PositiveIntegerField(default=0)),
                ('round', models.PositiveSmallIntegerField(db_default=1, default=1, help_text='A returned batch is rated again in the next round; earlier ones stay.')),
                ('ratings_version', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='batches', to='annotation.group')),
                ('reserved_for', models.ForeignKey(blank=True, help_text='Private to one person: a review sample or a re-rating.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reserved_batches', to='annotation.participant')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'batches',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('study', 'key'), name='one_batch_key_per_study')],
            },
        ),
        migrations.CreateModel(
            name='JudgeCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.PositiveSmallIntegerField(help_text='Of this target and criterion, from 1.')),
                ('prompt', models.JSONField(help_text='The body of the request; the key is in a header and not here.')),
                ('http_status', models.PositiveSmallIntegerField(help_text='None: no answer came.', null=True)),
                ('answer', models.TextField(blank=True, help_text='What the model said; of an error, what the endpoint said.')),
                ('status', models.CharField(choices=[('answered', 'Answered'), ('refused', 'Refused by the model'), ('malformed', 'No answer in the reply'), ('rejected', 'Rejected by the endpoint'), ('failed', 'Failed, asked again')], max_length=10)),
                ('note', models.CharField(blank=True, help_text='Why it is no answer.', max_length=300)),
                ('is_last', models.BooleanField()),
                ('tokens_prompt', models.PositiveIntegerField(default=0)),
                ('tokens_answer', models.PositiveIntegerField(default=0)),
                ('latency_ms', models.PositiveIntegerField()),
                ('sent_at', models.DateTimeField()),
                ('candidate', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.candidate')),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='protocols.criterion')),
                ('dialogue', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.dialogue')),
                ('option', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='protocols.option')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='annotation.judgerun')),
            ],
            options={
                'indexes': [models.Index(fields=['run', '-id'], name='calls_of_run')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('candidate__isnull', False), ('dialogue__isnull', True)), models.Q(('candidate__isnull', True), ('dialogue__isnull', False)), _connector='OR'), name='call_has_one_target'), models.CheckConstraint(condition=models.Q(models.Q(('option__isnull', False), ('status', 'answered')), models.Q(('status', 'answered'), _negated=True), _connector='OR'), name='an_answer_has_option'), models.UniqueConstraint(condition=models.Q(('is_last', True)), fields=('run', 'criterion', 'candidate'), name='one_end_per_candidate_and_criterion'), models.UniqueConstraint(condition=models.Q(('is_last', True)), fields=('run', 'criterion', 'dialogue'), name='one_end_per_dialogue_and_criterion')],
            },
        ),
        migrations.CreateModel(
            name='Prediction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField(blank=True, null=True)),
                ('candidate', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.candidate')),
                ('dialogue', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.dialogue')),
                ('metric', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='predictions', to='annotation.metric')),
                ('option', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='protocols.option')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('metric', 'candidate'), name='one_prediction_per_metric_and_candidate'), models.UniqueConstraint(fields=('metric', 'dialogue'), name='one_prediction_per_metric_and_dialogue'), models.CheckConstraint(condition=models.Q(models.Q(('candidate__isnull', False), ('dialogue__isnull', True)), models.Q(('candidate__isnull', True), ('dialogue__isnull', False)), _connector='OR'), name='prediction_has_one_target'), models.CheckConstraint(condition=models.Q(('value__isnull', False), ('option__isnull', False), _connector='OR'), name='prediction_says_something')],
            },
        ),
        migrations.CreateModel(
            name='StatusChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.CharField(choices=[('pending', 'Pending'), ('qualifying', 'Qualifying'), ('failed', 'Not qualified'), ('cleared', 'Cleared'), ('paused', 'Paused'), ('excluded', 'Excluded')], max_length=10)),
                ('after', models.CharField(choices=[('pending', 'Pending'), ('qualifying', 'Qualifying'), ('failed', 'Not qualified'), ('cleared', 'Cleared'), ('paused', 'Paused'), ('excluded', 'Excluded')], max_length=10)),
                ('reason', models.TextField(blank=True)),
                ('at', models.DateTimeField()),
                ('actor', models.ForeignKey(help_text='Empty: decided by a rule.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='status_changes', to='annotation.participant')),
            ],
            options={
                'indexes': [models.Index(fields=['participant', '-id'], name='changes_of_participant')],
            },
        ),
        migrations.CreateModel(
            name='AgreementSnapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.BigIntegerField(default=0)),
                ('n_ratings', models.PositiveIntegerField(default=0, help_text='Counted answers.')),
                ('n_wanted', models.PositiveIntegerField(default=0, help_text='Items x seats x criteria.')),
                ('hours', models.JSONField(default=dict, help_text='{"hours since 1970": counted answers given in that hour}')),
                ('computed_at', models.DateTimeField()),
                ('batch', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='snapshot', to='annotation.batch')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('batch__isnull', True)), fields=('study',), name='one_study_snapshot')],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('status', models.CharField(choices=[('active', 'Active'), ('submitted', 'Submitted'), ('expired', 'Expired'), ('excluded', 'Excluded'), ('superseded', 'Superseded')], default='active', max_length=12)),
                ('seed', models.PositiveIntegerField(default=annotation.models.study.make_seed)),
                ('round', models.PositiveSmallIntegerField(db_default=1, default=1, help_text='Of the batch.')),
                ('claimed_at', models.DateTimeField()),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('feedback', models.TextField(blank=True)),
                ('is_imported', models.BooleanField(default=False)),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.batch')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.participant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('batch', 'participant', 'round'), name='one_assignment_per_batch_annotator_and_round'), models.UniqueConstraint(condition=models.Q(('status', 'active')), fields=('participant',), name='one_active_assignment_per_annotator'), models.CheckConstraint(condition=models.Q(('submitted_at__isnull', False), models.Q(('status', 'submitted'), _negated=True), _connector='OR'), name='submitted_work_has_its_time')],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_check', models.BooleanField(db_default=False, default=False, help_text='Its answer is known. It is shown like any other item and is never a result.')),
                ('unit', models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue')], db_default='response', default='response', max_length=20)),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('position', models.PositiveIntegerField(help_text="The dialogue's place in the batch.")),
                ('shown', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), blank=True, default=list, help_text='Candidates that are rated together, in order.', size=None)),
                ('asks', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=80), blank=True, db_default=[], default=list, help_text='Of a training item: the questions it asks, by their keys. Empty: all of its unit.', size=None)),
                ('batch', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.batch')),
                ('candidate', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.candidate')),
                ('dialogue', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.dialogue')),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.source')),
            ],
            options={
                'indexes': [models.Index(fields=['batch', 'position'], name='items_by_place')],
                'constraints': [models.UniqueConstraint(fields=('batch', 'candidate'), name='one_item_per_batch_and_candidate'), models.UniqueConstraint(condition=models.Q(('unit', 'dialogue')), fields=('batch', 'dialogue'), name='one_item_per_batch_and_whole_dialogue'), models.UniqueConstraint(condition=models.Q(('unit', 'candidate_set')), fields=('batch', 'dialogue', 'source'), name='one_item_per_batch_and_candidate_set'), models.UniqueConstraint(condition=models.Q(('unit', 'model')), fields=('batch', 'source'), name='one_item_per_batch_and_model'), models.CheckConstraint(condition=models.Q(models.Q(('candidate__isnull', False), ('dialogue__isnull', False), ('source__isnull', False), ('unit', 'response')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('source__isnull', False), ('unit', 'candidate_set')), models.Q(('candidate__isnull', True), ('dialogue__isnull', True), ('source__isnull', False), ('unit', 'model')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('source__isnull', True), ('unit', 'dialogue')), _connector='OR'), name='item_has_what_its_unit_has')],
            },
        ),
        migrations.CreateModel(
            name='AgreementCell',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('histogram', models.JSONField(help_text='{"votes per option, by position": items}, for example {"5,2,0": 11}')),
                ('pairs', models.JSONField(default=dict, help_text='Answer tables of annotator pairs; of batches only.')),
                ('sure_pairs', models.JSONField(db_default={}, default=dict, help_text='For items that nobody answered with an unsure option; empty if there is no such option.')),
                ('annotators', models.JSONField(default=dict, help_text='{participant id: their contribution}; of batches only.')),
                ('reasons', models.JSONField(default=dict, help_text='{explanation id: votes}')),
                ('estimates', models.JSONField(default=dict, help_text='Coefficients read out of the histogram and pairs.')),
                ('sums', models.JSONField(default=dict, help_text='Of the study only: what the mean over batches is made of.')),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='protocols.criterion')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cells', to='annotation.agreementsnapshot')),
                ('source', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.source')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('snapshot', 'criterion', 'source'), name='one_cell_per_criterion_and_source', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='AnnotatorCell',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('contribution', models.JSONField(help_text='Integers that add: see measures/contributions.py.')),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='protocols.criterion')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotators', to='annotation.agreementsnapshot')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.participant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('snapshot', 'criterion', 'participant'), name='one_cell_per_criterion_and_annotator')],
            },
        ),
        migrations.CreateModel(
            name='ItemMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_unsure', models.BooleanField(db_default=False, default=False)),
                ('unsure_at', models.DateTimeField(blank=True, help_text='When it was last switched.', null=True)),
                ('reason', models.CharField(blank=True, choices=[('broken', 'The text is broken'), ('personal', 'Personal data'), ('language', 'Wrong language'), ('offensive', 'Offensive'), ('other', 'Something else')], db_default='', default='', help_text='Empty: no flag stands.', max_length=10)),
                ('words', models.TextField(blank=True, db_default='', default='', help_text="The annotator's own, about the flag.")),
                ('flagged_at', models.DateTimeField(blank=True, help_text='When the flag was last given or taken back.', null=True)),
                ('seen_at', models.DateTimeField(blank=True, help_text='When somebody of the team had looked at the flag.', null=True)),
                ('seen_note', models.TextField(blank=True, db_default='', default='')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='marks', to='annotation.assignment')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='marks', to='annotation.item')),
                ('seen_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('reason', ''), _negated=True), fields=['item'], name='flagged_item')],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'item'), name='one_mark_per_assignment_and_item'), models.CheckConstraint(condition=models.Q(models.Q(('reason', 'other'), _negated=True), models.Q(('words', ''), _negated=True), _connector='OR'), name='other_flag_has_words'), models.CheckConstraint(condition=models.Q(('reason', ''), ('flagged_at__isnull', False), _connector='OR'), name='flag_has_its_time'), models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), _negated=True), ('seen_at__isnull', True), _connector='OR'), name='only_a_flag_is_seen')],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('choices', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), blank=True, default=list, help_text='Ids of the options of a multiple choice.', size=None)),
                ('turns', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, help_text='Marked turns, from 1.', size=None)),
                ('is_active', models.BooleanField(db_default=True, default=True)),
                ('explanations', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, help_text='Ids of predefined explanations.', size=None)),
                ('free_text', models.TextField(blank=True)),
                ('revision', models.PositiveIntegerField(default=1)),
                ('active_ms', models.PositiveIntegerField(default=0, help_text='Reported by the browser; no decision rests on it.')),
                ('answered_at', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.assignment')),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.batch')),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='protocols.criterion')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.item')),
                ('option', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='protocols.option')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'item', 'criterion'), name='one_rating_per_assignment_item_criterion'), models.CheckConstraint(condition=models.Q(('revision__gte', 1)), name='revisions_count_from_one')],
            },
        ),
        migrations.CreateModel(
            name='Reading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('shown_at', models.DateTimeField(help_text='When it came on screen.')),
                ('opened_at', models.DateTimeField(help_text='When its reading time begins: then, or once those opened before it have had theirs.')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='readings', to='annotation.assignment')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'position'), name='one_reading_per_assignment_and_position')],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('assignment', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seat', to='annotation.assignment')),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='annotation.batch')),
            ],
            options={
                'indexes': [models.Index(fields=['lease_expires_at'], name='seat_lease')],
                'constraints': [models.UniqueConstraint(fields=('batch', 'number'), name='one_seat_per_batch_and_number'), models.CheckConstraint(condition=models.Q(('assignment__isnull', False), ('lease_expires_at__isnull', True), _connector='OR'), name='free_seat_has_no_lease')],
            },
        ),
        migrations.CreateModel(
            name='MarkChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('unsure', 'Unsure'), ('flag', 'Flag')], max_length=6)),
                ('is_set', models.BooleanField()),
                ('reason', models.CharField(blank=True, choices=[('broken', 'The text is broken'), ('personal', 'Personal data'), ('language', 'Wrong language'), ('offensive', 'Offensive'), ('other', 'Something else')], max_length=10)),
                ('words', models.TextField(blank=True)),
                ('client_key', models.UUIDField()),
                ('marked_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('mark', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='annotation.itemmark')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('mark', 'client_key'), name='one_change_of_a_mark_per_client_key')],
            },
        ),
        migrations.CreateModel(
            name='RatingRevision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('choices', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), blank=True, default=list, help_text='Ids of the options of a multiple choice.', size=None)),
                ('turns', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), blank=True, default=list, help_text='Marked turns, from 1.', size=None)),
                ('explanations', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ('free_text', models.TextField(blank=True)),
                ('client_key', models.UUIDField()),
                ('active_ms', models.PositiveIntegerField(default=0)),
                ('answered_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('option', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='protocols.option')),
                ('rating', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='annotation.rating')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rating', 'number'), name='one_revision_per_number'), models.UniqueConstraint(fields=('rating', 'client_key'), name='one_revision_per_client_key')],
            },
        ),
        install("annotation", "raise_version", "answer_context", "record_answer", "append_only", "calls_append_only"),
        migrations.RunSQL([DEFAULTS, TRIGGERS], migrations.RunSQL.noop),
        migrations.RunPython(make_group, migrations.RunPython.noop),
    ]
