"""Write what leaves the app: tables, notebooks, scripts, records."""
