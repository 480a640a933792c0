"""Statistics of features: counts, sums, means, variances, histograms, quantiles."""
