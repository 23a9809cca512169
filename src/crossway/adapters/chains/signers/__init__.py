"""Signers whose keys are outside this process: with a remote service, or in a PKCS#11 token."""
