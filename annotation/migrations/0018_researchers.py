"""The group Researchers, with everybody in it who is an owner or a researcher of a study.

Django makes permissions after all migrations. Those of the group are made here, so that it has them on a new database too.
"""

from django.db import migrations

from annotation.researchers import GROUP, permissions

ROLES = ("owner", "researcher")


def make_group(apps, schema_editor):
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=GROUP)
    group.permissions.add(*(_permission(apps, *names) for names in permissions()))
    memberships = apps.get_model("annotation", "Membership").objects.filter(role__in=ROLES)
    group.user_set.add(*memberships.values_list("user_id", flat=True).distinct())


def _permission(apps, app, model, codename):
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label=app, model=model)
    name = "Can " + codename.replace("_", " ")
    permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind, codename=codename, defaults={"name": name}
    )
    return permission


def remove_group(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name=GROUP).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0017_word_scale"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(make_group, remove_group)]
