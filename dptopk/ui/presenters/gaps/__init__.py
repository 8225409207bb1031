"""Page Gaps: show the gaps between consecutive counts and their effect on mechanisms."""
