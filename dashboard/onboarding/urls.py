"""Where the first steps are hidden and shown."""

from django.urls import path

from dashboard.onboarding import views

app_name = "onboarding"
urlpatterns = [path("tour/", views.tour, name="tour")]
