from django.urls import path

from reporting.datasheet import views

urlpatterns = [
    path("<slug:slug>/datasheet/", views.datasheet_page, name="datasheet"),
    path("<slug:slug>/datasheet.md", views.datasheet_file, {"ending": "md"}, name="datasheet_markdown"),
    path("<slug:slug>/datasheet.json", views.datasheet_file, {"ending": "json"}, name="datasheet_json"),
    path("<slug:slug>/datasheet-form.json", views.datasheet_form, name="datasheet_form"),
]
