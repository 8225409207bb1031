"""Page Privacy: compare exact privacy losses with the guarantee."""
