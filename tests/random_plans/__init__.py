"""Random plans over the whole matrix of options, random studies, and neighbours of them: what a release shows must follow from noisy values alone."""
