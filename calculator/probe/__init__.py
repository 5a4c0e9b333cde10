"""The probe: one file that measures a running job, and needs nothing of this project."""
