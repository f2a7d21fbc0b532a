// The menu that D05 is about.
