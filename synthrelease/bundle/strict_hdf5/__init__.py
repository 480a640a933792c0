"""Reading the one form of HDF5 that a bundle has, by hand: every byte is accounted for before HDF5's library touches the file."""
