"""The analyst's half of the lab: a folder that `novum study` wrote, asked page by page."""
