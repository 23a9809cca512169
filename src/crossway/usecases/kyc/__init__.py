"""KYC of end users: requirements, submissions, assessments and erasure."""
