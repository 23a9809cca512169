"""View models of the pages: rows, details, labels and formatted values, without any drawing."""
