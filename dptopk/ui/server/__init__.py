"""Run many sessions in one process: limits, expiry, turns at computing, caches."""
