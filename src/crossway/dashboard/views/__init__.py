"""Records of the service turned into what a screen shows: rows, words and figures, no drawing."""
